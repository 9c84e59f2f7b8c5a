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
        var listeners: [Listener] = []
        var loops: [EventLoop] = []
        var isDraining = false
    }

    private let endpoints: [Endpoint]
    private let loopCount: Int
    private let settings: Settings
    private let maxConnections: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - endpoints: where to listen; several addresses share the loops.
    ///   - certificates: for the endpoints that speak TLS; needed where there is one.
    ///   - loops: how many event loops; as many as there are cores by default.
    ///   - maxConnections: how many connections there may be at a time; past it, accepting pauses.
    ///   - report: is told, on any thread, of what goes wrong inside the server.
    package init(
        endpoints: [Endpoint], certificates: TLSCertificates? = nil, loops: Int = HTTPServer.cores,
        limits: Limits = Limits(),
        deadlines: Deadlines = Deadlines(), maxConnections: Int = 65_536,
        report: @escaping @Sendable (Incident) -> Void
    ) {
        precondition(certificates != nil || !endpoints.contains(where: \.isEncrypted), "TLS needs a certificate")
        self.endpoints = endpoints
        loopCount = max(loops, 1)
        settings = Settings(limits: limits, deadlines: deadlines, certificates: certificates, report: report)
        self.maxConnections = maxConnections
    }

    /// How many cores the process may use.
    package static var cores: Int {
        max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)
    }

    /// Binds every endpoint and begins to queue connections; the endpoints with their real ports.
    package func bind() throws(ServerError) -> [Endpoint] {
        var listeners: [Listener] = []
        for endpoint in endpoints { listeners.append(try Listener(endpoint)) }
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
        for loop in loops { loop.post { $0.drain() } }
    }

    private func makeLoops(for application: any Application) throws(ServerError) -> [EventLoop] {
        let census = Census(limit: maxConnections)
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
            let acceptor = Acceptor(listeners, dealingTo: dealt)
            loop.acceptor = acceptor
            acceptor.resume(on: loop)
        }
        if isDraining { drain() }
        return loops
    }
}
