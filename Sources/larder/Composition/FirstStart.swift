import API
import Domain
import Glibc
import Platform
import Store

/// What the first start does once: the app `default`, and the token that opens everything (semantics.md §9).
struct FirstStart {
    let composition: Composition
    let configuration: ServeConfiguration

    /// Does what is missing.
    ///
    /// Returns the line that tells the operator where the token is; `nil` when nothing was made.
    func run() async throws -> String? {
        let services = composition.services
        _ = try await services.catalogue.createApp(.default, by: .server)
        guard try await services.tokens.tokens().isEmpty else { return nil }
        // The place is taken before the token is made: a token that nobody can read would be lost for good.
        if let path = configuration.initialTokenFile { return try await write(to: path) }
        guard !Terminal.isOutputTerminal else {
            return "The first token, shown this once (role admin):\n\n    \(try await makeSecret())\n"
        }
        return try await write(to: composition.directory.path + "/initial-token")
    }

    private func makeSecret() async throws -> String {
        try await composition.services.tokens.create(name: "initial", role: .admin, by: .server).secret
    }

    private func write(to path: String) async throws -> String {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw CommandError.failure("cannot write the first token to \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        // An older file keeps its mode when it is written anew.
        guard fchmod(descriptor, 0o600) == 0 else {
            throw CommandError.failure("cannot keep \(path) from other users: \(String(cString: strerror(errno)))")
        }
        let line = Array((try await makeSecret() + "\n").utf8)
        guard Glibc.write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0 else {
            throw CommandError.failure("cannot write the first token to \(path): \(String(cString: strerror(errno)))")
        }
        return "The first token (role admin) is in \(path)"
    }
}
