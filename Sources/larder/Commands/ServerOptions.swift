import Client
import Domain
import Transport

/// The options that select the server and the token of an operator's command.
private enum ServerOptions {
    static func client(
        _ server: String?, tokenFile: String?, authorities: String?, isDryRun: Bool
    ) throws(CommandError) -> OperatorsClient {
        let environment = Environment.all
        return OperatorsClient(
            server: try url(server), token: try token(in: tokenFile, environment), isDryRun: isDryRun,
            client: HTTPClient(authorities: authorities, environment: environment)
        ) { wait in
            Terminal.error(
                "The server limits requests from this token or address. Retrying in \(wait.components.seconds) s.")
        }
    }

    static func url(_ server: String?) throws(CommandError) -> HTTPURL {
        do throws(TransportError) {
            return try HTTPURL(server ?? Environment.all["LARDER_SERVER"] ?? "http://127.0.0.1:8080")
        } catch {
            throw .usage(error.description)
        }
    }

    private static func token(
        in file: String?, _ environment: [String: String]
    ) throws(CommandError) -> String {
        if let file { return try read(file) }
        if let token = environment["LARDER_TOKEN"], !token.isEmpty { return token }
        throw .usage("the token is missing: give its file as --token-file, or set LARDER_TOKEN")
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
        Parameter<(Bool, String?, String?, String?)>(isDryRun, .serverURL, .tokenFile, .authorities).map {
            isDryRun, server, tokenFile, authorities throws(CommandError) in
            try ServerOptions.client(server, tokenFile: tokenFile, authorities: authorities, isDryRun: isDryRun)
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
        Parameter<(String?, Bool, String?, String?)>(
            .serverURL, .flag("--check", "compare the statistics of the server, which needs a token"), .tokenFile,
            .authorities
        ).map { server, isChecked, tokenFile, authorities throws(CommandError) in
            ReportedServer(
                url: try ServerOptions.url(server),
                makeClient: { HTTPClient(authorities: authorities, environment: Environment.all) },
                statistics: isChecked
                    ? try ServerOptions.client(
                        server, tokenFile: tokenFile, authorities: authorities, isDryRun: false) : nil)
        }
    }
}

extension Parameter where Value == String? {
    fileprivate static var serverURL: Parameter<String?> {
        .option("--server", "URL", "the URL of the server (default http://127.0.0.1:8080)", or: "LARDER_SERVER")
    }

    fileprivate static var tokenFile: Parameter<String?> {
        .option(
            "--token-file", "PATH",
            "a file that contains the access token; by default the token is the value of LARDER_TOKEN, so that no "
                + "list of processes shows it")
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
