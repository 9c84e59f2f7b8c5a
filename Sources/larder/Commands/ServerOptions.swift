import Client
import Domain
import Transport

/// The options that select the server and the token of an operator's command.
///
/// An option precedes an environment variable, which precedes the profile, which precedes the default.
enum ServerOptions {
    static let defaultServer = "http://127.0.0.1:8080"

    fileprivate static func client(_ options: Options, isDryRun: Bool) throws(CommandError) -> OperatorsClient {
        let environment = Environment.all
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let given = options.server ?? variable("LARDER_SERVER")
        let token =
            try options.tokenFile.map { (path) throws(CommandError) in try read(path) } ?? variable("LARDER_TOKEN")
        // Read only if needed, so that a damaged file of profiles does not end a command that names everything.
        let profile = given != nil && token != nil && options.profile.name == nil ? nil : try options.profile.load()
        let server = given ?? profile?.server ?? defaultServer
        let url = try url(server)
        // Another server must not get the profile's token.
        let own = try profile.flatMap { (profile) throws(CommandError) in
            try self.url(profile.server) == url ? profile : nil
        }
        guard let token = token ?? own?.token else {
            throw .usage(
                profile == nil
                    ? "the token is missing: run 'larder login', give its file as --token-file, or set LARDER_TOKEN"
                    : "the token is missing: the profile is for \(profile?.server ?? ""); run 'larder login --server "
                        + "\(server)', give a file as --token-file, or set LARDER_TOKEN")
        }
        // An environment variable precedes the profile.
        let authorities = options.authorities ?? (variable("LARDER_CA_FILE") == nil ? own?.authorities : nil)
        return OperatorsClient(
            server: url, token: token, isDryRun: isDryRun,
            client: HTTPClient(authorities: authorities, environment: environment)
        ) { wait in
            Terminal.error(
                "The server limits requests from this token or address. Retrying in \(wait.components.seconds) s.")
        }
    }

    /// Returns the app of a profile, unless the command names another server.
    static func appOfProfile(_ choice: ProfileChoice) throws(CommandError) -> String? {
        // The option of the server is read elsewhere, so the app of a profile counts only without LARDER_SERVER.
        guard let profile = try choice.load(), let app = profile.app else { return nil }
        guard let other = Environment.all["LARDER_SERVER"], !other.isEmpty else { return app }
        return try url(other) == url(profile.server) ? app : nil
    }

    /// The options as they were given.
    fileprivate struct Options: Sendable {
        let profile: ProfileChoice
        let server: String?
        let tokenFile: String?
        let authorities: String?
    }

    static func url(_ server: String) throws(CommandError) -> HTTPURL {
        do throws(TransportError) { return try HTTPURL(server) } catch { throw .usage(error.description) }
    }

    /// The limit on the bytes of a token file.
    private static let tokenLimit = 4_096

    private static func read(_ path: String) throws(CommandError) -> String {
        let bytes: [UInt8]
        do throws(SmallFileError) {
            bytes = try SmallFile.read(path, upTo: tokenLimit)
        } catch {
            throw .failure(error.message(path, of: "token"))
        }
        let token = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        guard !token.isEmpty else { throw .failure("\(path) contains no token") }
        return token
    }
}

extension HTTPClient {
    /// Creates a client with the proxies and authorities of the environment, unless an option names other authorities.
    ///
    /// `SSL_CERT_FILE` is OpenSSL's name for the file of the system's authorities.
    init(
        timeouts: TransportTimeouts = TransportTimeouts(), userAgent: String = "larder", authorities: String?,
        environment: [String: String], keptHandles: Int = 1
    ) {
        self.init(
            timeouts: timeouts, userAgent: userAgent,
            authorities: authorities
                ?? ["LARDER_CA_FILE", "SSL_CERT_FILE"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty },
            proxies: ProxySettings(environment: environment), keptHandles: keptHandles)
    }
}

extension Parameter where Value == OperatorsClient {
    /// A client of the server's API, for a verb that changes nothing.
    static var server: Parameter<OperatorsClient> { connection(.constant(false)) }

    /// A client of the server's API, for a verb that makes changes; `--dry-run` makes each of its calls a dry run.
    static var actingServer: Parameter<OperatorsClient> {
        connection(.flag("--dry-run", "check everything and print what would happen, but change nothing"))
    }

    private static func connection(_ isDryRun: Parameter<Bool>) -> Parameter<OperatorsClient> {
        Parameter<(Bool, ServerOptions.Options)>(isDryRun, .server).map { isDryRun, options throws(CommandError) in
            try ServerOptions.client(options, isDryRun: isDryRun)
        }
    }
}

extension Parameter where Value == ServerOptions.Options {
    fileprivate static var server: Parameter<ServerOptions.Options> {
        Parameter<(String?, ProfileChoice, String?, String?)>(.serverURL, .profile, .tokenFile, .authorities).map {
            server, profile, tokenFile, authorities throws(CommandError) in
            ServerOptions.Options(
                profile: profile, server: server, tokenFile: tokenFile, authorities: authorities)
        }
    }
}

/// A server to which simulated devices report.
struct ReportedServer: Sendable {
    let url: HTTPURL
    /// Creates the client of a device.
    let makeClient: @Sendable () -> HTTPClient
    /// The client of the statistics; `nil` if they are not checked.
    let statistics: OperatorsClient?
}

extension Parameter where Value == ReportedServer {
    /// A server for reports, whose statistics are checked with `--check`.
    static var reportedServer: Parameter<ReportedServer> {
        Parameter<(Bool, ServerOptions.Options)>(
            .flag("--check", "compare the statistics of the server, which needs a token"), .server
        ).map { isChecked, options throws(CommandError) in
            let statistics = isChecked ? try ServerOptions.client(options, isDryRun: false) : nil
            let variable = Environment.all["LARDER_SERVER"].flatMap { $0.isEmpty ? nil : $0 }
            let given = options.server ?? variable
            let profile = given == nil ? try options.profile.load() : nil
            let server = given ?? profile?.server
            return ReportedServer(
                url: try ServerOptions.url(server ?? ServerOptions.defaultServer),
                makeClient: { HTTPClient(authorities: options.authorities, environment: Environment.all) },
                statistics: statistics)
        }
    }
}

extension Parameter where Value == String? {
    static var serverURL: Parameter<String?> {
        .option(
            "--server", "URL", "the URL of the server (default: the profile's, or \(ServerOptions.defaultServer))",
            or: "LARDER_SERVER")
    }

    fileprivate static var tokenFile: Parameter<String?> {
        .option(
            "--token-file", "PATH",
            "a file that contains the access token; by default the token is the value of LARDER_TOKEN or the profile's, "
                + "so that no list of processes shows it")
    }

    /// The option for the trusted certificates.
    static var authorities: Parameter<String?> {
        .option(
            "--ca-file", "PATH", "trust the certificates in PATH for https:// instead of the system's",
            or: "LARDER_CA_FILE")
    }
}

extension Parameter where Value == Bool {
    /// The flag for JSON output.
    static var json: Parameter<Bool> { .flag("--json", "print the server's response as JSON") }
}
