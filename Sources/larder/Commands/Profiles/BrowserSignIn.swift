import Artifacts
import Client
import Domain
import Glibc
import Ground
import HTTP
import Transport

/// A command line that is signed in as the user who agrees in the console (decision 0089).
struct BrowserSignIn {
    /// The prefix by which the server tells the secret of a session from a token.
    static let prefix = "larder_cli_"
    private static let secretBytes = 32
    /// The pause between two questions that the server may ask for, in seconds.
    private static let pauses: ClosedRange<Int64> = 1...30
    /// The limit on the characters of the machine's name.
    private static let longestName = 64

    let server: HTTPURL
    /// A client of the server without a token.
    let client: OperatorsClient
    var clock: any ClientClock = SystemClientClock()

    /// Prints the page of the console, and waits; returns the secret of the session that a user has agreed to.
    func run() throws(CommandError) -> String {
        let cryptography = OpenSSLCryptography()
        let secret = Self.prefix + Hex.encode(cryptography.randomBytes(Self.secretBytes))
        let request: JSON = .object([
            "machine": .string(Self.machineName),
            "secretHash": .string(Hex.encode(cryptography.sha256(Array(secret.utf8)).bytes)),
        ])
        let asked = try CommandError.asking { () throws(OperatorsError) in
            do throws(OperatorsError) { return try client.call(.post, "/command-line", request).body } catch {
                guard case .refused(let problem) = error, problem.status == 404 else { throw error }
                return .null
            }
        }
        guard let code = asked["code"]?.string, let begin = Self.time(asked["createdAt"]),
            let end = Self.time(asked["expiresAt"])
        else { throw .failure("the server has no sign-in for command lines; it may be an older one: use a token") }
        let page = asked["url"]?.string ?? "\(server.appending("/console/"))#/command-line/\(code)"
        Terminal.error(
            "Open this page in a browser, and agree if it shows the code \(Terminal.printable(code)):\n\n    "
                + Terminal.printable(page) + "\n")
        let pause = min(max(asked["pollSeconds"]?.integer ?? 0, Self.pauses.lowerBound), Self.pauses.upperBound)
        let deadline = clock.monotonic() + .milliseconds(end.milliseconds - begin.milliseconds)
        while clock.monotonic() < deadline {
            clock.sleep(for: .seconds(pause))
            switch try state(of: secret) {
            case "agreed": return secret
            case "refused": throw .failure("the request was refused in the console")
            default: continue
            }
        }
        throw .failure("nobody has agreed in time; run 'larder login' again")
    }

    /// Returns what the server knows of the request; `nil` if it cannot say now.
    private func state(of secret: String) throws(CommandError) -> String? {
        try CommandError.asking { () throws(OperatorsError) in
            do throws(OperatorsError) {
                return try client.call(.post, "/command-line/answer", .object(["secret": .string(secret)])).body[
                    "state"]?.string
            } catch {
                switch error {
                case .transport: return nil
                case .refused(let problem) where problem.status == 429 || problem.status >= 500: return nil
                default: throw error
                }
            }
        }
    }

    private static func time(_ json: JSON?) -> Timestamp? { (json?.string).flatMap(Timestamp.init(rfc3339:)) }

    /// The name of this machine in visible ASCII, as the server requires.
    private static var machineName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "unknown" }
        let name = bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.filter { (0x21...0x7E).contains($0) }
        return name.isEmpty ? "unknown" : String(decoding: name.prefix(longestName), as: UTF8.self)
    }
}
