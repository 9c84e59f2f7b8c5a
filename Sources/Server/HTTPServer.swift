package import HTTP
package import TLS
import CLinux
import Glibc
import Synchronization

/// An HTTP/1.1 server with one event loop per core.
///
/// Call ``bind()`` first, which determines the real ports, and then ``run(_:)``, each once.
package final class HTTPServer: Sendable {
    private struct State {
        var handedOver: HandedSockets
        var listeners: [Listener] = []
        var loops: [EventLoop] = []
        var isDraining = false
    }

    /// The default maximum number of connections.
    package static let defaultConnections = 65_536
    package static let defaultConnectionsPerAddress = 4_096
    /// The default `max-age` of `Strict-Transport-Security`: one year in seconds.
    package static let defaultHSTSSeconds = 31_536_000

    private let endpoints: [Endpoint]
    private let loopCount: Int
    private let settings: Settings
    private let census: Census
    private let state: Mutex<State>

    /// - Parameters:
    ///   - endpoints: The endpoints to listen on; all share the loops.
    ///   - handedOver: The sockets that the process was started with, for endpoints that name them; for one server
    ///     only.
    ///   - certificates: The certificates of the endpoints with TLS; required if there is one.
    ///   - kernelTLS: Whether the kernel encrypts the output of TLS, as ``KernelTLS/probe()`` finds out.
    ///   - hstsSeconds: The `max-age` of `Strict-Transport-Security` in responses over TLS.
    ///   - loops: The number of event loops; by default the number of cores.
    ///   - maxConnections: The maximum number of connections. Beyond it, the connection that has been idle longest is
    ///     closed, or accepting pauses if none is idle.
    ///   - maxConnectionsPerAddress: The maximum number of connections from one address; further ones are closed at
    ///     once. Trusted proxies have no such limit.
    ///   - proxies: The proxies whose forwarding fields are trusted.
    ///   - accessLog: The log that gets a line for each response.
    ///   - report: Called on any thread for each internal error of the server.
    package init(
        endpoints: [Endpoint], handedOver: HandedSockets = .none, certificates: TLSCertificates? = nil,
        kernelTLS: KernelTLS = .absent, hstsSeconds: Int = HTTPServer.defaultHSTSSeconds,
        loops: Int = HTTPServer.cores, limits: Limits = Limits(),
        deadlines: Deadlines = Deadlines(), maxConnections: Int = HTTPServer.defaultConnections,
        maxConnectionsPerAddress: Int = HTTPServer.defaultConnectionsPerAddress,
        proxies: TrustedProxies = TrustedProxies(), accessLog: (any AccessLog)? = nil,
        report: @escaping @Sendable (Incident) -> Void
    ) {
        precondition(certificates != nil || !endpoints.contains(where: \.isEncrypted), "TLS needs a certificate")
        self.endpoints = endpoints
        state = Mutex(State(handedOver: handedOver))
        loopCount = max(loops, 1)
        settings = Settings(
            limits: limits, deadlines: deadlines, certificates: certificates, kernelTLS: kernelTLS,
            hstsSeconds: hstsSeconds, proxies: proxies, accessLog: accessLog, report: report)
        census = Census(limit: maxConnections, limitPerAddress: maxConnectionsPerAddress, proxies: proxies)
    }

    /// The maximum number of connections.
    package var maxConnections: Int { census.limit }

    /// The number of cores available to the process.
    package static var cores: Int {
        max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)
    }

    /// Binds all endpoints, takes over the sockets of the parent process, and begins to queue connections.
    ///
    /// Returns the endpoints with their real ports and, for a socket taken over, its bound address. Also throws if one
    /// of these sockets is named by no endpoint.
    package func bind() throws(ServerError) -> [Endpoint] {
        var sockets = state.withLock { state in
            defer { state.handedOver = .none }
            return state.handedOver
        }
        var listeners: [Listener] = []
        for endpoint in endpoints { listeners += try Listener.all(at: endpoint, handedOver: &sockets) }
        try sockets.requireNone()
        state.withLock { $0.listeners = listeners }
        return listeners.map(\.endpoint)
    }

    /// Serves until ``drain()`` is called or the task is cancelled, and all requests are done.
    package func run(_ application: any Application) async throws(ServerError) {
        signal(SIGPIPE, SIG_IGN)
        let loops = try makeLoops(for: application)
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for loop in loops {
                    group.addTask(executorPreference: loop) { await loop.serve() }
                }
            }
        } onCancel: {
            drain()
        }
        for loop in loops { loop.stop() }
        state.withLock { $0.loops = [] }
    }

    /// Stops accepting, closes idle connections, ends polls, and lets requests finish.
    ///
    /// ``run(_:)`` then returns, at the latest after ``Deadlines/drain``, unless a handler neither ends nor responds to
    /// cancellation. May be called from any thread, any number of times.
    package func drain() {
        let loops = state.withLock { state in
            state.isDraining = true
            return state.loops
        }
        // Begins with the loop that accepts, so that the connections it has dealt out reach the others before their
        // drain.
        loops.first?.post { _ in
            for loop in loops { loop.perform { $0.drain() } }
        }
    }

    /// Drains, and cuts off the requests in progress at once, as ``Deadlines/drain`` would later.
    package func cutOff() {
        drain()
        let loops = state.withLock { $0.loops }
        loops.first?.post { _ in
            for loop in loops { loop.perform { $0.cutOff() } }
        }
    }

    private func makeLoops(for application: any Application) throws(ServerError) -> [EventLoop] {
        var loops: [EventLoop] = []
        for _ in 0..<loopCount {
            loops.append(
                try EventLoop(settings: settings, application: application, census: census, front: loops.first))
        }
        do throws(ServerError) {
            for loop in loops { try loop.start() }
        } catch {
            for loop in loops { loop.stop() }
            throw error
        }
        let (listeners, isDraining) = state.withLock { state in
            let listeners = state.listeners
            state.listeners = []
            state.loops = loops
            return (listeners, state.isDraining)
        }
        let dealt = loops
        loops[0].post { loop in
            // A drain may have come first.
            guard loop.drainEnd == nil else { return }
            let acceptor = Acceptor(listeners, dealingTo: dealt)
            loop.acceptor = acceptor
            acceptor.resume(on: loop)
        }
        if isDraining { drain() }
        return loops
    }
}

extension HTTPServer: TrafficSource {
    /// Returns the counters; call it only from within the running application, because a loop that has ended does not
    /// reply.
    package func traffic() async -> Traffic {
        let loops = state.withLock { $0.loops }
        var total: Traffic?
        for loop in loops {
            let one = await withUnsafeContinuation { continuation in
                loop.perform { loop in continuation.resume(returning: loop.currentTraffic) }
            }
            if total?.add(one) == nil { total = one }
        }
        return total ?? Traffic(routes: 0)
    }
}
