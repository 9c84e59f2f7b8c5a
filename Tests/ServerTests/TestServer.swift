import Dispatch
import HTTP
import Server
import Synchronization
import TLS
import TestKit

/// An executor on which a test's client blocks without occupying a thread of the runtime.
final class ClientThread: TaskExecutor {
    private let queue = DispatchQueue(label: "client")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// An application made of one function.
final class FunctionApplication: Application {
    private let decide: @Sendable (RequestHead) -> Disposition

    init(_ decide: @escaping @Sendable (RequestHead) -> Disposition) {
        self.decide = decide
    }

    var routes: [String] { ["none", "GET /"] }

    func decide(_ head: RequestHead) -> Decision { Decision(decide(head), by: RouteID(1)) }
}

/// A server that runs during one test.
struct TestServer {
    let server: HTTPServer
    /// The port; zero without one.
    let port: UInt16
    let incidents: Incidents

    final class Incidents: Sendable {
        private let list = Mutex<[String]>([])

        var all: [String] { list.withLock { $0 } }

        func add(_ incident: Incident) {
            list.withLock { $0.append("\(incident)") }
        }
    }

    /// The certificate of all servers and clients within `withValue`; `nil` for no TLS.
    @TaskLocal static var certificate: TLSCertificateFiles?

    /// The assumed support for TLS in the kernel within `withValue`.
    @TaskLocal static var kernelTLS = KernelTLS.absent

    func connect(receiveBuffer: Int32? = nil) throws -> RawClient {
        let client = try RawClient(port: port, receiveBuffer: receiveBuffer)
        if let certificate = Self.certificate {
            try client.startTLS(TLSTrust(authorities: certificate.certificate))
        }
        return client
    }

    /// Runs a server beside a body that may block, and drains it afterwards.
    ///
    /// - Parameter endpoints: By default a port that the system chooses.
    static func run(
        at endpoints: [Endpoint]? = nil, handedOver: HandedSockets = .none,
        loops: Int = 2, limits: Limits = Limits(), deadlines: Deadlines = Deadlines(), maxConnections: Int = 1_000,
        maxConnectionsPerAddress: Int = 1_000, proxies: TrustedProxies = TrustedProxies(),
        accessLog: (any AccessLog)? = nil, certificates: TLSCertificates? = nil,
        _ decide: @escaping @Sendable (RequestHead) -> Disposition,
        while body: (TestServer) async throws -> Void
    ) async throws {
        let incidents = Incidents()
        let certificates = try certificates ?? Self.certificate.map { try TLSCertificates([$0]) }
        let endpoints =
            try endpoints
            ?? [Endpoint(try ListenAddress(parsing: "127.0.0.1:0"), isEncrypted: certificates != nil)]
        let server = HTTPServer(
            endpoints: endpoints, handedOver: handedOver, certificates: certificates,
            kernelTLS: Self.kernelTLS, loops: loops, limits: limits, deadlines: deadlines,
            maxConnections: maxConnections,
            maxConnectionsPerAddress: maxConnectionsPerAddress, proxies: proxies, accessLog: accessLog,
            report: { incidents.add($0) })
        let port = try server.bind().lazy.compactMap(\.address).first?.port ?? 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            // On a separate thread, because other tests may occupy all threads of the runtime.
            group.addTask(executorPreference: ClientThread()) { try await server.run(FunctionApplication(decide)) }
            defer { server.drain() }
            try await withTaskExecutorPreference(ClientThread()) {
                try await body(TestServer(server: server, port: port, incidents: incidents))
            }
            server.drain()
            try await group.waitForAll()
        }
    }
}

/// A value that a test waits for another thread to set.
final class Latch<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    func set(_ new: Value) {
        value.withLock { $0 = new }
        semaphore.signal()
    }

    /// Returns the value, or `nil` if it is not set within ten seconds.
    ///
    /// Call it once, on a ``ClientThread``.
    func wait() -> Value? {
        _ = semaphore.wait(timeout: .now() + 10)
        return value.withLock { $0 }
    }
}
