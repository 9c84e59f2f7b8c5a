import API
import Domain
import Execution
import Glibc
import Platform
import Server
import TLS

/// `larder serve`: the service itself.
enum ServeCommand: Command {
    static let name = "serve"
    static let summary = "run the service"

    static var help: String {
        let lines = ServeConfiguration.settings.map { setting in
            let byDefault = setting.defaultValue.isEmpty ? "" : " (default \(setting.defaultValue))"
            return "  \(setting.flag) \(setting.placeholder)\n        \(setting.help)\(byDefault); \(setting.variable)"
        }
        return """
            usage: larder serve [OPTION …]

            Serves until SIGTERM or SIGINT; requests in flight are then finished, unless a second one comes. The first
            start makes the app 'default' and hands out one admin token. SIGHUP reads certificates and opens the access
            log anew.

            \(lines.joined(separator: "\n"))
              --print-config
                    print every setting, its value and where it comes from, and end

            A flag wins over its environment variable.
            """
    }

    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode {
        let parsed = try Arguments(
            arguments, valued: Set(ServeConfiguration.settings.map(\.flag)), flags: ["--print-config"])
        try parsed.refusePositional(past: 0)
        let configuration = try ServeConfiguration(parsed, environment: Environment.all)
        guard !parsed.has("--print-config") else {
            Terminal.out(configuration.description)
            return .success
        }
        do {
            try await serve(configuration)
            return .success
        } catch let error as CommandError {
            throw error
        } catch let error as PlatformError {
            throw .failure(error.cause.map { "\(error.message) (\($0))" } ?? error.message)
        } catch {
            throw .failure("\(error)")
        }
    }

    private static func serve(_ configuration: ServeConfiguration) async throws {
        // First of all, so that a signal during the start ends the process in order as well.
        let signals = try Signals()
        let descriptors = DescriptorLimit.raise()
        let clock = SystemClock()
        let log = StandardErrorLog(clock: clock)
        var deadlines = Deadlines()
        deadlines.drain = .seconds(configuration.drainSeconds)
        let accessLog = try makeAccessLog(configuration.accessLog, log)
        let certificates = try configuration.certificates.isEmpty ? nil : TLSCertificates(configuration.certificates)
        let certificateWatch = certificates.map { CertificateWatch($0, log: log) }
        let maxConnections = min(configuration.maxConnections, descriptors - min(descriptors / 4, Self.spareDescriptors))
        if maxConnections < configuration.maxConnections {
            log.write(
                "configuration.warning",
                ["what": "the system lets this process have \(descriptors) descriptors: \(maxConnections) connections"])
        }
        let server = HTTPServer(
            endpoints: configuration.endpoints, handedOver: try HandedSockets(environment: Environment.all),
            certificates: certificates, deadlines: deadlines, maxConnections: maxConnections,
            maxConnectionsPerAddress: configuration.maxConnectionsPerAddress, proxies: configuration.proxies,
            accessLog: accessLog
        ) { incident in
            log.write("server.incident", ["what": incident.description])
        }
        let takeover = Takeover(
            path: configuration.dataDirectory, patience: .seconds(configuration.takeoverSeconds), clock: clock, log: log
        )
        guard let directory = try takeover.run(until: { signals.wantsStop }) else { return }
        let composition = try await Composition(
            directory: directory, configuration: configuration, clock: clock, log: log)
        let bound = try server.bind()
        let publicURL = try configuration.publicURL ?? listenURL(bound)
        let first = try await FirstStart(composition: composition, configuration: configuration).run()

        let services = composition.services
        let application = APIApplication(
            services: services, publicURL: publicURL, console: Composition.consoleFiles(), traffic: server,
            limits: configuration.rateLimits, elapsed: SystemClock.elapsed)
        announce(bound: bound, publicURL: publicURL, first: first, configuration: configuration, log: log)

        // A thread that nothing else can keep busy.
        let keeping = WorkExecutor(label: "larder.service", threads: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: keeping) { await services.reports.run() }
            group.addTask(executorPreference: keeping) {
                await services.live.runActivations { error in
                    log.write("activation.failed", ["cause": error.cause ?? error.message])
                }
            }
            group.addTask(executorPreference: keeping) {
                var isDraining = false
                while let wish = await signals.next() {
                    switch wish {
                    case .stop where isDraining:
                        log.write("server.cut-off", [:])
                        server.cutOff()
                    case .stop:
                        isDraining = true
                        log.write("server.draining", [:])
                        server.drain()
                    case .reload:
                        accessLog?.reopen()
                        certificateWatch?.reload()
                    }
                }
            }
            let logging = WorkExecutor(label: "larder.log", threads: 1)
            group.addTask(executorPreference: logging) { await log.run() }
            if let accessLog {
                let writing = WorkExecutor(label: "larder.access", threads: 1)
                group.addTask(executorPreference: writing) { await accessLog.run() }
            }
            if let certificateWatch {
                let watching = WorkExecutor(label: "larder.tls", threads: 1)
                group.addTask(executorPreference: watching) { await certificateWatch.run() }
            }
            try await server.run(application)
            group.cancelAll()
            try await group.waitForAll()
        }
        // Up to here a signal must not end the process: reports and lines are still being written.
        withExtendedLifetime(signals) {}
        log.write("server.stopped", [:])
    }

    /// What connections leave of the descriptors: for blobs, the database, uploads and the log.
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
            throw CommandError.failure("there is no address to listen on")
        }
        // Every address has none of its own: clients on this machine at least are led right.
        let host = address.isWildcard ? "127.0.0.1:\(address.port)" : address.description
        guard let url = PublicURL("\(isEncrypted ? "https" : "http")://\(host)") else {
            throw CommandError.failure("cannot tell the address listened on; set --public-url")
        }
        return url
    }

    private static func announce(
        bound: [Endpoint], publicURL: PublicURL, first: String?, configuration: ServeConfiguration, log: any Log
    ) {
        for endpoint in bound {
            log.write("server.started", ["address": endpoint.description, "data": configuration.dataDirectory])
        }
        if let first { Terminal.out(first) }
        Terminal.out("Console: \(publicURL)/console/")
        if configuration.publicURL == nil, bound.contains(where: { $0.address?.isWildcard ?? false }) {
            log.write(
                "configuration.warning",
                ["what": "devices are sent to \(publicURL), which they cannot reach: set --public-url"])
        }
    }
}
