package import HTTP
package import TLS
import CLinux
import Glibc
import Synchronization

/// An HTTP/1.1 server on one event loop per core.
///
/// Bound first, so that the real ports are known, and run then: ``bind()``, ``run(_:)`` once each.
package final class HTTPServer: Sendable {
    private struct State {
        var handedOver: HandedSockets
        var listeners: [Listener] = []
        var loops: [EventLoop] = []
        var isDraining = false
    }

    /// Connections at a time, and those of one address, unless it is told otherwise.
    package static let defaultConnections = 65_536
    package static let defaultConnectionsPerAddress = 4_096
    /// A year.
    package static let defaultHSTSSeconds = 31_536_000

    private let endpoints: [Endpoint]
    private let loopCount: Int
    private let settings: Settings
    private let census: Census
    private let state: Mutex<State>

    /// - Parameters:
    ///   - endpoints: where to listen; several share the loops.
    ///   - handedOver: the sockets that the process was started with, for endpoints that name them; to be given to one
    ///     server only.
    ///   - certificates: for the endpoints that speak TLS; needed where there is one.
    ///   - kernelTLS: whether the kernel is asked to seal what is sent over TLS, as ``KernelTLS/probe()`` finds.
    ///   - hstsSeconds: the `max-age` of `Strict-Transport-Security` in responses over TLS.
    ///   - loops: how many event loops; as many as there are cores by default.
    ///   - maxConnections: how many connections there may be at a time; past it, the one that has been idle longest is closed, or
    ///     accepting pauses if none is idle.
    ///   - maxConnectionsPerAddress: how many of them may come from one address; past it, they are closed at once.
    ///     Trusted proxies have no limit of their own.
    ///   - proxies: whose word on where a request comes from is taken.
    ///   - accessLog: is given a line for each answer.
    ///   - report: is told, on any thread, of what goes wrong inside the server.
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

    /// How many cores the process may use.
    package static var cores: Int {
        max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)
    }

    /// Binds every endpoint, takes over what was handed over, and begins to queue connections.
    ///
    /// The endpoints as they are then: with their real ports, and a socket that was handed over by what it is bound to.
    /// Throws as well where a socket that was handed over is named by no endpoint.
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

    /// Serves until ``drain()`` was called, or the task is cancelled, and all is done.
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

    /// Stops accepting, ends idle connections, answers what waits, and lets the rest finish.
    ///
    /// ``run(_:)`` returns then, at the latest after ``Deadlines/drain``, unless a handler neither ends nor heeds
    /// cancellation. From any thread, any number of times.
    package func drain() {
        let loops = state.withLock { state in
            state.isDraining = true
            return state.loops
        }
        // The loop that accepts goes first: what it has dealt out before reaches the others before their drain does.
        loops.first?.post { _ in
            for loop in loops { loop.perform { $0.drain() } }
        }
    }

    /// Drains, and ends what is still under way at once, as ``Deadlines/drain`` would later.
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
    /// To be called while the server runs, by what it runs: a loop that has ended tells nothing any more.
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
