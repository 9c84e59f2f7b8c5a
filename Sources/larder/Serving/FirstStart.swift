import API
import Domain
import Glibc
import Platform
import Store

/// The steps of the first start: the app `default`, and the initial admin token (semantics.md §9).
struct FirstStart {
    let services: Services
    let configuration: ServeConfiguration

    /// Runs the missing steps.
    ///
    /// Returns the message that shows the token or its file; `nil` if the token exists.
    func run() async throws -> String? {
        _ = try await services.catalogue.createApp(.default, by: .server)
        guard try await services.tokens.tokens().isEmpty else { return nil }
        // The token is shown before it is registered: after a crash in between, the next start makes another token, and
        // no lost token locks the operator out.
        let secret = services.tokens.makeSecret()
        let line: String
        if let path = configuration.initialTokenFile {
            line = try write(secret, to: path)
        } else if Terminal.isOutputTerminal {
            line = "The first token, shown this once (role admin):\n\n    \(secret)\n"
        } else {
            line = try write(secret, to: configuration.dataDirectory + "/initial-token")
        }
        _ = try await services.tokens.register(secret, name: "initial", role: .admin, by: .server)
        return line
    }

    private func write(_ secret: String, to path: String) throws -> String {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("cannot write the first token to \(path)") }
        defer { close(descriptor) }
        // Rewriting keeps the mode of an existing file.
        guard fchmod(descriptor, 0o600) == 0 else { throw failure("cannot restrict \(path) to its owner") }
        let line = Array((secret + "\n").utf8)
        guard Glibc.write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0 else {
            throw failure("cannot write the first token to \(path)")
        }
        return "The first token (role admin) is in \(path)"
    }

    private func failure(_ what: String) -> CommandError {
        .failure("\(what): \(String(cString: strerror(errno)))")
    }
}
