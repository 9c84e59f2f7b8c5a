import Client
import Domain

/// Which server an operator's command talks to, and with which token.
struct ServerOptions {
    static let valued: Set<String> = ["--server", "--token-file", "--ca-file"]

    static let help = """
          --server URL       the server (default http://127.0.0.1:8080); LARDER_SERVER
          --token-file PATH  a file that holds the token; without it LARDER_TOKEN, which keeps it out of the
                             list of processes
          --ca-file PATH     trust the certificates in PATH for https://, instead of the system's; LARDER_CA_FILE
        """

    let server: String
    let token: String
    let authorities: String?

    init(_ arguments: Arguments, environment: [String: String] = Environment.all) throws(CommandError) {
        server = arguments["--server"] ?? environment["LARDER_SERVER"] ?? "http://127.0.0.1:8080"
        authorities = arguments["--ca-file"] ?? environment["LARDER_CA_FILE"]
        if let path = arguments["--token-file"] {
            token = try Self.read(path)
        } else if let token = environment["LARDER_TOKEN"], !token.isEmpty {
            self.token = token
        } else {
            throw .usage("a token is needed: name its file with --token-file, or set LARDER_TOKEN")
        }
    }

    /// A client of the server's API.
    func client() throws(CommandError) -> OperatorsClient {
        let url: HTTPURL
        do throws(TransportError) { url = try HTTPURL(server) } catch { throw .usage(error.description) }
        return OperatorsClient(server: url, token: token, client: HTTPClient(authorities: authorities)) { wait in
            Terminal.error(
                "The server has too much to do with this token or address: waiting \(wait.components.seconds) s.")
        }
    }

    /// Bytes of a file with a token, at most.
    private static let tokenLimit = 4_096

    private static func read(_ path: String) throws(CommandError) -> String {
        let bytes: [UInt8]
        do throws(SmallFileError) {
            bytes = try SmallFile.read(path, upTo: tokenLimit)
        } catch {
            throw .failure(error.message(path, of: "token"))
        }
        let token = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        guard !token.isEmpty else { throw .failure("there is no token in \(path)") }
        return token
    }
}
