import API
import Domain
import Execution
import Glibc
import Platform
import Server
import Store
import TLS
import Wiring

/// The command `larder serve`, which runs the service.
enum ServeCommand: Command {
    static let name = "serve"
    static let summary = "run the server"

    static let about = """
        Runs the server until SIGTERM or SIGINT, which finishes the requests in progress; a second signal ends them at
        once. SIGHUP reloads the certificates and reopens the access log. The first start creates the app 'default' and
        one admin token. All settings have defaults; docs/operations.md explains them.
        """
    static let ending =
        "A flag overrides its environment variable. Exit status: 0 stopped by a signal; 1 failure; 64 wrong usage."

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .options(ServeConfiguration.settings.map(\.shape)),
                    .flag("--print-config", "print every setting with its value and its source, and exit"))
            ) { flags, isPrinting throws(CommandError) in try await run(flags, isPrinting: isPrinting) }
        ]
    }

    private static func run(_ flags: [String: String], isPrinting: Bool) async throws(CommandError) -> ExitCode {
        let configuration = try ServeConfiguration(flags, environment: Environment.all)
        guard !isPrinting else {
            Terminal.out(configuration.description)
            return .success
        }
        do {
            try await serve(configuration)
            return .success
        } catch let error as CommandError {
            throw error
        } catch let error as PlatformError where error.code == .invalidRequest {
            // A usage error: the setting must be changed, since a restart would fail again.
            throw .usage(error.message)
        } catch let error as PlatformError {
            throw .failure(error.cause.map { "\(error.message) (\($0))" } ?? error.message)
        } catch {
            throw .failure("\(error)")
        }
    }

    private static func serve(_ configuration: ServeConfiguration) async throws {
        ProcessMemory.returnLargeBlocks()
        // The first step, so that a signal during the start ends the process in order as well.
        let signals = try Signals()
        // An inherited SIG_IGN would discard the exit status of child processes.
        signal(SIGCHLD, SIG_DFL)
        let clock = SystemClock()
        let log = StandardErrorLog(clock: clock)
        let accessLog = try makeAccessLog(configuration.accessLog, log)
        let certificates = try configuration.certificates.isEmpty ? nil : TLSCertificates(configuration.certificates)
        let protection = try configuration.keyProtection(Environment.all)
        let settings = try configuration.service(Environment.all)
        let kernelTLS = configuration.mayKernelSeal && certificates != nil ? KernelTLS.probe() : .absent
        let server = try makeServer(configuration, certificates, kernelTLS, accessLog, log)
        let takeover = Takeover(
            path: configuration.dataDirectory,
            purpose: configuration.databaseAddress == nil ? .serving : .servingWithExternalMetadata,
            patience: .seconds(configuration.takeoverSeconds), clock: clock, log: log)
        guard let directory = try takeover.run(until: { signals.wantsStop }) else { return }
        let bucket = configuration.bucketPlace(environment: Environment.all, clock: clock, log: log)
        var adapters = try await Adapters(
            opening: directory, database: configuration.databaseAddress, keys: protection, bucket: bucket,
            spoolBytes: configuration.reportSpoolBytes, clock: clock, log: log)
        adapters.webhookPost = HTTPWebhookPost(permitting: configuration.webhookNetworks)
        adapters.issuerClient = HTTPIssuerClient(permitting: configuration.webhookNetworks)
        let composition = try await Composition(adapters, settings: settings)
        let bound = try server.bind()
        let publicURL = try configuration.publicURL ?? listenURL(bound)
        try ServeConfiguration.keepApart(configuration.contentURL, publicURL)
        let first = try await FirstStart(services: composition.services, configuration: configuration).run()
        let application = APIApplication(
            services: composition.services, publicURL: publicURL, isPublicURLSet: configuration.publicURL != nil,
            contentURL: configuration.contentURL,
            cdnURL: configuration.cdnURL, console: ConsoleFile.embedded(),
            facts: ServerFacts(
                configuration, connections: server.maxConnections, certificates: certificates, startedAt: clock),
            traffic: server,
            maxConnections: server.maxConnections, limits: configuration.rateLimits,
            elapsed: SystemClock.elapsed)
        announce(
            bound: bound, kernelTLS: kernelTLS, publicURL: publicURL, first: first, configuration: configuration,
            log: log)
        let operation = Operation(
            server: server, composition: composition, signals: signals, log: log, accessLog: accessLog,
            certificateWatch: certificates.map { CertificateWatch($0, log: log) }, isPruning: configuration.isPruning)
        try await operation.run(application)
        // Until here, a signal must not end the process, since reports and log lines are still being written, and no
        // other process may take the directory over.
        withExtendedLifetime((signals, directory)) {}
        log.write("server.stopped", [:])
    }

    private static func makeServer(
        _ configuration: ServeConfiguration, _ certificates: TLSCertificates?, _ kernelTLS: KernelTLS,
        _ accessLog: AccessLogWriter?, _ log: any Log
    ) throws -> HTTPServer {
        var deadlines = Deadlines()
        deadlines.drain = .seconds(configuration.drainSeconds)
        return HTTPServer(
            endpoints: configuration.endpoints, handedOver: try HandedSockets(environment: Environment.all),
            certificates: certificates, kernelTLS: kernelTLS, hstsSeconds: configuration.hstsSeconds,
            deadlines: deadlines,
            maxConnections: connections(upTo: configuration.maxConnections, log),
            maxConnectionsPerAddress: configuration.maxConnectionsPerAddress, proxies: configuration.proxies,
            accessLog: accessLog
        ) { incident in
            log.write("server.incident", ["what": incident.description])
        }
    }

    /// Returns the number of connections, reduced if the system permits too few descriptors.
    private static func connections(upTo wanted: Int, _ log: any Log) -> Int {
        let descriptors = DescriptorLimit.raise()
        let possible = min(wanted, descriptors - min(descriptors / 2, spareDescriptors))
        if possible < wanted {
            log.write(
                "configuration.warning",
                [
                    "what": "the limit of \(descriptors) descriptors reduces --max-connections to \(possible)"
                ])
        }
        return possible
    }

    /// The descriptors reserved for blobs, the database, uploads and the log.
    private static let spareDescriptors = 1_024

    private static func makeAccessLog(
        _ target: AccessLogTarget, _ log: any Log
    ) throws(CommandError) -> AccessLogWriter? {
        switch target {
        case .off: nil
        case .standardError: try AccessLogWriter(path: nil, log: log)
        case .file(let path): try AccessLogWriter(path: path, log: log)
        }
    }

    private static func listenURL(_ bound: [Endpoint]) throws -> PublicURL {
        let addresses = bound.lazy.compactMap { endpoint in endpoint.address.map { ($0, endpoint.isEncrypted) } }
        guard let (address, isEncrypted) = addresses.first else {
            throw CommandError.failure("no listening socket has an IP address; set --public-url")
        }
        // A wildcard address is not a destination: clients on this machine can use the loopback address.
        let host = address.isWildcard ? "127.0.0.1:\(address.port)" : address.description
        guard let url = PublicURL("\(isEncrypted ? "https" : "http")://\(host)") else {
            throw CommandError.failure("the listening address \(host) cannot be used in URLs; set --public-url")
        }
        return url
    }

    private static func announce(
        bound: [Endpoint], kernelTLS: KernelTLS, publicURL: PublicURL, first: String?,
        configuration: ServeConfiguration, log: any Log
    ) {
        for what in configuration.bucket?.warnings ?? [] { log.write("configuration.warning", ["what": what]) }
        if configuration.publicURL == nil, bound.contains(where: { $0.address?.isWildcard ?? false }) {
            log.write(
                "configuration.warning",
                ["what": "URLs for devices begin with \(publicURL), which devices cannot reach: set --public-url"])
        }
        for endpoint in bound {
            let sealing = kernelTLS.sealing(at: endpoint).rawValue
            log.write(
                "server.started",
                ["address": endpoint.description, "data": configuration.dataDirectory, "tls": sealing])
        }
        if let first { Terminal.out(first) }
        Terminal.out("Console: \(publicURL.consoleURL)")
    }
}
