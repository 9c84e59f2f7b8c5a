import HTTP
import Synchronization

/// A client for HTTP/1.1, and for HTTP/2 over TLS if the server supports it, by libcurl (decision 0056).
///
/// Every call blocks its thread for at most the sum of the timeouts, or twice that if the server rejects
/// `Expect: 100-continue` and the request is repeated without it. Redirects are not followed, and bodies are not
/// decoded. Connections are kept for the next GET or HEAD.
package struct HTTPClient: Sendable {
    /// The default limit on the bytes of a body in memory.
    package static let bodyLimit = 16 << 20
    /// The size above which a body is sent only after `100 Continue`, or once ``TransportTimeouts/expectation`` has
    /// passed without it.
    ///
    /// A server that rejects a request may reset the connection under its body, and the response may be lost with it.
    package static let continueThreshold = 1 << 20

    /// The longest time between two calls of ``ClientRequest/isAbandoned``.
    private static let abandonmentInterval = Duration.milliseconds(250)

    private let options: CurlOptions
    private let addresses: AddressPolicy?
    private let state: SharedState

    /// - Parameters:
    ///   - userAgent: The value of `User-Agent`.
    ///   - authorities: A PEM file of certificates to trust for `https://`; `nil` for those of the system.
    ///   - keptHandles: The number of concurrent exchanges whose connections are kept.
    ///   - addresses: The policy for the addresses to connect to, which are those of the proxy if there is one; `nil`
    ///     permits every address.
    package init(
        timeouts: TransportTimeouts = TransportTimeouts(), userAgent: String = "larder", authorities: String? = nil,
        proxies: ProxySettings = .none, keptHandles: Int = 1, addresses: AddressPolicy? = nil
    ) {
        self.addresses = addresses
        state = SharedState(keptHandles: keptHandles)
        options = CurlOptions(userAgent: userAgent, authorities: authorities, proxies: proxies, timeouts: timeouts)
    }

    /// Sends a request and returns the whole response.
    ///
    /// Throws `responseTooLarge` past `bodyLimit`.
    ///
    /// - Parameter progress: Called with the sent bytes and all bytes of the request's body.
    package func send(
        _ request: ClientRequest, bodyLimit: Int = bodyLimit, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(TransportError) -> ClientResponse {
        var body: [UInt8] = []
        let head = try exchange(request, progress: progress) { _, piece throws(TransportError) in
            guard body.count + piece.count <= bodyLimit else { throw .responseTooLarge(limit: bodyLimit) }
            body += piece
        }
        return ClientResponse(head: head, body: body)
    }

    /// Sends a request and passes on the body of the response as it arrives.
    ///
    /// - Parameters:
    ///   - progress: Called with the sent bytes and all bytes of the request's body.
    ///   - onHead: Called with the head, before any of the body.
    ///   - onBody: Called with each piece of the body; the pointer is valid during the call only.
    package func exchange(
        _ request: ClientRequest, progress: (Int, Int) -> Void = { _, _ in },
        onHead: (ResponseHead) throws(TransportError) -> Void = { _ in },
        onBody: (ResponseHead, UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) -> ResponseHead {
        var proxy: CurlProxy?
        if let url = options.proxies.proxy(for: request.url) { proxy = try CurlProxy(url) }
        let mayExpect = !state.ignoresExpectations.load(ordering: .relaxed)
        let exchange = try CurlExchange(
            request, through: proxy, mayExpectContinue: mayExpect, addresses: addresses)
        if let head = try run(exchange, progress: progress, onHead: onHead, onBody: onBody) { return head }
        state.ignoresExpectations.store(true, ordering: .relaxed)
        let repeated = try CurlExchange(request, through: proxy, mayExpectContinue: false, addresses: addresses)
        guard let head = try run(repeated, progress: progress, onHead: onHead, onBody: onBody) else {
            preconditionFailure("a request without an expectation was repeated for it")
        }
        return head
    }

    /// Runs an exchange on a handle; returns `nil` if the request has to be repeated without its expectation.
    private func run(
        _ exchange: CurlExchange, progress: (Int, Int) -> Void,
        onHead: (ResponseHead) throws(TransportError) -> Void,
        onBody: (ResponseHead, UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) -> ResponseHead? {
        // libcurl holds a pointer to the exchange until `end()`.
        defer { withExtendedLifetime(exchange) {} }
        var handle = state.takeHandle()
        do throws(TransportError) {
            let head = try run(exchange, on: &handle, progress: progress, onHead: onHead, onBody: onBody)
            handle.end()
            state.keep(handle)
            return head
        } catch {
            handle.end()
            state.keep(handle)
            throw error
        }
    }

    private func run(
        _ exchange: CurlExchange, on handle: inout CurlHandle, progress: (Int, Int) -> Void,
        onHead: (ResponseHead) throws(TransportError) -> Void,
        onBody: (ResponseHead, UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) -> ResponseHead? {
        var response = ResponseDelivery(exchange)
        do throws(CurlFailure) { try handle.begin(exchange, options) } catch { throw transportError(error, exchange) }
        do throws(TransportError) {
            guard
                try transfer(
                    exchange, on: &handle, to: &response, progress: progress, onHead: onHead, onBody: onBody)
            else { return nil }
        } catch {
            guard let head = response.sufficientHead, error != .abandoned else { throw error }
            return head
        }
        if exchange.isExpectationIgnored { state.ignoresExpectations.store(true, ordering: .relaxed) }
        return try response.finish()
    }

    /// Transfers both bodies; returns `false` if the request has to be repeated without its expectation.
    private func transfer(
        _ exchange: CurlExchange, on handle: inout CurlHandle, to response: inout ResponseDelivery,
        progress: (Int, Int) -> Void,
        onHead: (ResponseHead) throws(TransportError) -> Void,
        onBody: (ResponseHead, UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) -> Bool {
        var pace = ExchangePace(options.timeouts, response: exchange.request.responseTimeout)
        let end = exchange.request.timeLimit.map { ContinuousClock.now + $0 }
        var failure: TransportError?
        var isOver = false
        while true {
            do throws(CurlFailure) { isOver = try handle.advance() } catch { failure = transportError(error, exchange) }
            if exchange.isExpectationRefused { return false }
            // A server may reject an upload before its end and reset the connection: its response counts.
            try response.deliver(progress: progress, onHead: onHead, onBody: onBody)
            if response.isComplete, isOver || failure != nil || !exchange.isSent { return true }
            if response.isSufficient, exchange.isSent { return true }
            if let failure = exchange.failure ?? failure { throw failure }
            if isOver { return true }
            let now = ContinuousClock.now
            let pause = pace.limit(of: exchange.phase, moved: handle.bytesMoved(), at: now)
            let limit = end.map { min(pause, $0 - now) } ?? pause
            guard limit > .zero else {
                if response.isComplete { return true }
                throw .timedOut(peer: exchange.request.url.authority, doing: exchange.phase.rawValue)
            }
            guard let isAbandoned = exchange.request.isAbandoned else {
                handle.wait(upTo: limit)
                continue
            }
            guard !isAbandoned() else { throw .abandoned }
            handle.wait(upTo: min(limit, Self.abandonmentInterval))
        }
    }

    private func transportError(_ failure: CurlFailure, _ exchange: CurlExchange) -> TransportError {
        TransportError(failure, exchange, authorities: options.authorities)
    }
}

/// The state that exchanges leave for later ones.
private final class SharedState: Sendable {
    /// Whether a server or a proxy has rejected or ignored an expectation; later requests have none.
    let ignoresExpectations = Atomic(false)
    /// The handles that wait for the next exchanges, with their open connections; further concurrent exchanges create
    /// their own.
    private let handles: [Slot]

    private final class Slot: Sendable {
        let handle = Mutex<CurlHandle?>(nil)
    }

    init(keptHandles: Int) {
        handles = (0..<keptHandles).map { _ in Slot() }
    }

    func takeHandle() -> CurlHandle {
        for slot in handles {
            if let handle = slot.handle.withLock({ $0.take() }) { return handle }
        }
        return CurlHandle()
    }

    func keep(_ used: consuming CurlHandle) {
        var used: CurlHandle? = consume used
        for slot in handles {
            let isKept = slot.handle.withLock { handle in
                guard handle == nil else { return false }
                handle = used.take()
                return true
            }
            guard !isKept else { return }
        }
    }
}
