import CCurl
import Files
import HTTP

/// The state of one exchange.
///
/// libcurl's callbacks change it during ``CurlHandle/advance()``, and its caller reads it in between.
final class CurlExchange {
    /// The bytes of a body that libcurl reads at a time.
    static let pieceSize = 256 << 10
    /// The limit on the bytes of ``received``: libcurl passes on at most 100 buffers of 16 KiB in one call.
    static let receivedLimit = 2 << 20

    let request: ClientRequest
    let body: RequestBody
    let proxy: CurlProxy?
    /// Whether the connection is established, including tunnel and TLS.
    var isConnected = false
    /// Whether a proxy gets the request itself instead of the bytes of a tunnel.
    private(set) var isForwarded = false
    /// The last address that the policy did not permit; `nil` if it permitted one.
    var refusedAddress: PeerAddress? { hasPermittedAddress ? nil : lastRefused }
    private var lastRefused: PeerAddress?
    private var hasPermittedAddress = false
    /// The policy for addresses; `nil` if every address is permitted.
    let addresses: AddressPolicy?
    /// The bytes of the request's body that libcurl has taken.
    private(set) var sent = 0
    /// The failure of a callback, which made libcurl end the exchange.
    private(set) var failure: TransportError?
    private var reader: ResponseHeadReader
    /// Whether the request sends `Expect: 100-continue`; HTTP/2 omits it.
    let expectsContinue: Bool
    /// The bytes of the response's body from the last call.
    private(set) var received: [UInt8] = []

    init(
        _ request: ClientRequest, through proxy: CurlProxy?, mayExpectContinue: Bool,
        addresses: AddressPolicy? = nil
    ) throws(TransportError) {
        self.request = request
        self.addresses = addresses
        self.proxy = proxy
        reader = ResponseHeadReader(allowsHTTP2: request.url.isSecure)
        do throws(SystemError) { body = try RequestBody(request.body) } catch { throw .localFile(error) }
        expectsContinue = mayExpectContinue && body.count > HTTPClient.continueThreshold
    }

    var isSent: Bool { isConnected && sent == body.count }

    var phase: ExchangePace.Phase {
        if !isConnected { return .connecting }
        return head != nil ? .receiving : isSent ? .waiting : .sending
    }

    /// The head of the final response; `nil` until it is complete.
    var head: ResponseHead? { isExpectationRefused ? nil : reader.head }

    /// Whether the server or a proxy rejected the expectation, so that the request must be repeated without it.
    var isExpectationRefused: Bool {
        expectsContinue && reader.interim == 0 && reader.head?.status == 417 && !reader.isHTTP2
    }

    /// Whether the body was sent without `100 Continue`, after the wait for it.
    var isExpectationIgnored: Bool { expectsContinue && sent > 0 && reader.interim == 0 && !reader.isHTTP2 }

    /// Whether a response without length and chunks has a recognizable end.
    ///
    /// A TCP connection or a stream of HTTP/2 ends explicitly; libcurl does not distinguish a cut TLS connection from
    /// one that ended.
    var hasReliableEnd: Bool { reader.isHTTP2 || !request.url.isSecure && proxy?.isSecure != true }

    /// Removes the received bytes of the response's body.
    func discardReceived() { received.removeAll(keepingCapacity: true) }

    // MARK: Callbacks

    /// The context of the callbacks; it holds no reference.
    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func at(_ pointer: UnsafeMutableRawPointer?) -> CurlExchange? {
        pointer.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Returns whether the policy permits a connection to an address.
    func permits(_ address: PeerAddress?) -> Bool {
        guard let addresses else { return true }
        if let address, addresses.permits(address) {
            hasPermittedAddress = true
            return true
        }
        lastRefused = address ?? .unknown
        return false
    }

    func noteRequest(_ head: UnsafeRawBufferPointer) {
        let target = head.split(separator: UInt8(ascii: " "), maxSplits: 2).dropFirst().first
        isForwarded = target?.starts(with: "http://".utf8) == true
    }

    func readBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        do throws(SystemError) {
            let count = try body.read(at: sent, into: buffer)
            sent += count
            return count
        } catch {
            failure = .localFile(error)
            return Int(CURL_READFUNC_ABORT)
        }
    }

    func rewindBody(to offset: Int) { sent = offset }

    /// Returns whether the line was accepted; otherwise the response is rejected.
    func takeLine(_ line: UnsafeRawBufferPointer) -> Bool {
        do throws(TransportError) {
            try reader.take(line)
            // Otherwise libcurl would repeat the request by itself, perhaps on a connection that still expects the body.
            if isExpectationRefused { return false }
            // A body with an unknown transfer coding is rejected before its first byte.
            _ = try head?.framing(inResponseTo: request.method)
            return true
        } catch {
            failure = error
            return false
        }
    }

    /// Returns whether the bytes were accepted; otherwise the response is rejected.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard reader.head != nil else {
            failure = .malformedResponse("its body has no head before it")
            return false
        }
        guard received.count + bytes.count <= Self.receivedLimit else {
            failure = .malformedResponse("more than \(Self.receivedLimit) bytes of it arrived at once")
            return false
        }
        received += bytes
        return true
    }
}
