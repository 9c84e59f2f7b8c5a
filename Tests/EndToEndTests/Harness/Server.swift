import Foundation
import Ground
import TestKit

/// A `larder serve` that runs until it is stopped, or until the end of this object.
final class Server: Sendable {
    let program: Program
    let port: UInt16
    /// The token of an admin.
    let token: String

    var base: String { "http://127.0.0.1:\(port)" }
    /// The base URL over TLS; `nil` without TLS.
    var secureBase: String? { Self.port(in: log, of: "https").map { "https://127.0.0.1:\($0)" } }
    var log: String { program.errorOutput }

    static var defaultData: String { "\(ScratchDirectory.path)/data" }

    /// Starts on a free port, without limits on operators' requests and reports, and waits until the server is ready.
    ///
    /// - Parameters:
    ///   - listen: The first address to listen on.
    ///   - data: The data directory, which an earlier server may have used.
    ///   - token: The admin token; by default that of the first start.
    ///   - tokenFile: The file to which the first start writes the token, if not in `data`.
    ///   - wrapper: A command that runs the following program in the same process.
    ///   - socket: The socket to listen on, passed as by systemd.
    init(
        listen: String = "127.0.0.1:0", data: String = defaultData, token: String? = nil, tokenFile: String? = nil,
        options: [String] = [],
        environment: [String: String] = [:], wrapper: [String] = [], handing socket: ListeningSocket? = nil
    ) throws {
        var (environment, wrapper, listening) = (environment, wrapper, ["--listen", listen])
        // A test that waits may ask more often than the limits allow. A test of a limit sets the option or the variable.
        environment.merge(["LARDER_OPERATOR_REQUESTS_PER_SECOND": "0", "LARDER_REPORTS_PER_SECOND": "0"]) { given, _ in
            given
        }
        if let socket {
            environment["LISTEN_FDS"] = "1"
            // The process's own id, which is known only once it runs.
            wrapper = ["sh", "-c", #"LISTEN_PID=$$ exec "$0" "$@""#] + wrapper
            listening = ["--listen", "systemd", "--public-url", "http://127.0.0.1:\(socket.port)"]
        }
        let program = try Program(
            wrapper + [Larder.path, "serve", "--data", data] + listening
                + (tokenFile.map { ["--initial-token-file", $0] } ?? []) + options,
            environment: environment, handing: socket)
        self.program = program
        port = try Waiting.forValue("the server's start") {
            if let ending = program.poll() {
                throw Program.Failure(description: "the server did not start: \(ending). \(program.errorOutput)")
            }
            return Self.port(in: program.errorOutput)
        } more: {
            program.errorOutput
        }
        self.token = try token ?? Self.readToken(tokenFile ?? "\(data)/initial-token")
    }

    static func readToken(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func port(in log: String, of scheme: String = "http") -> UInt16? {
        let starts = log.split(separator: "\n").filter { $0.contains("event=server.started ") }
        let address = starts.joined(separator: " ").split(separator: " ").first {
            $0.hasPrefix("address=\(scheme)://")
        }
        return address?.split(separator: ":").last.flatMap { UInt16($0) }
    }

    /// Sends a signal that ends the server, and waits for its end.
    @discardableResult
    func stop(_ signal: Int32 = SIGTERM) throws -> Program.Ending {
        program.send(signal)
        return try program.wait()
    }

    /// Kills the server, like a crash.
    func crash() throws {
        program.send(SIGKILL)
        _ = try program.wait()
    }

    // MARK: Asking

    func connect(receiveBuffer: Int32? = nil) throws -> RawClient {
        try RawClient(port: port, patience: 60, receiveBuffer: receiveBuffer)
    }

    func get(_ path: String) throws -> RawClient.Response {
        let connection = try connect()
        try connection.sendHead("GET", path)
        return try connection.receive()
    }

    /// Sends a request to the operators' API; the path is relative to `/api/v1`.
    func call(_ method: String, _ path: String, _ body: String = "") throws -> RawClient.Response {
        let connection = try connect()
        let fields = ["Authorization": "Bearer \(token)", "Content-Length": "\(body.utf8.count)"]
        try connection.sendHead(method, "/api/v1" + path, fields)
        try connection.send(body.utf8)
        return try connection.receive()
    }
}
