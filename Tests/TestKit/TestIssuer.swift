package import Domain
import FoundationEssentials
package import Ground
import Synchronization

/// An issuer of identity tokens on the loopback, which signs by keys of the `openssl` program.
package final class TestIssuer: Sendable {
    package struct Key: Sendable {
        package let id: String
        package let algorithm: IdentityToken.Algorithm
        fileprivate let path: String
        package let jwk: JSON
    }

    package struct Failure: Error {
        package let command: [String]
    }

    package let url: String
    private let server: TinyServer
    let state: Shared
    private let folder: String

    final class Shared: Sendable {
        let keys = Mutex<[Key]>([])
        let isDown = Atomic(false)
        let requests = Atomic(0)
        let issuer = Mutex("")
        let signIns = Mutex(SignIns())
    }

    /// Starts an issuer that publishes no key yet; the test's folder has its keys.
    package init() throws {
        folder = ScratchDirectory.path
        let state = Shared()
        server = TinyServer { request in
            guard !state.isDown.load(ordering: .relaxed) else { return .response(500) }
            state.requests.add(1, ordering: .relaxed)
            let issuer = state.issuer.withLock { $0 }
            switch request.path {
            case "/.well-known/openid-configuration":
                let document: [JSON.Member] = [
                    .init("issuer", .string(issuer)), .init("jwks_uri", .string(issuer + "/keys")),
                ]
                let endpoints = state.signIns.withLock { $0.description(of: issuer) }
                return .response(
                    200, ["Content-Type": "application/json"], JSON.object(document + endpoints).bytes())
            case "/token": return state.signIns.withLock { $0.exchange(request) }
            case "/userinfo": return state.signIns.withLock { $0.userInfo(request) }
            case "/keys":
                let keys = state.keys.withLock { JSON.object(["keys": .array($0.map(\.jwk))]) }
                return .response(200, ["Content-Type": "application/json"], keys.bytes())
            default: return .response(404)
            }
        }
        url = "http://127.0.0.1:\(server.port)"
        let own = url
        state.issuer.withLock { $0 = own }
        self.state = state
    }

    /// The number of requests so far.
    package var requests: Int { state.requests.load(ordering: .relaxed) }

    /// Sets whether every request fails.
    package func setDown(_ isDown: Bool) { state.isDown.store(isDown, ordering: .relaxed) }

    /// Replaces the published keys.
    package func publish(_ keys: Key...) { state.keys.withLock { $0 = keys } }

    /// Makes a key, which is not published.
    package func makeKey(_ id: String, _ algorithm: IdentityToken.Algorithm = .rs256) throws -> Key {
        let path = "\(folder)/issuer-\(UUID().uuidString).pem"
        let options =
            switch algorithm {
            case .rs256: ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
            case .es256: ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
            }
        _ = try run(["openssl", "genpkey", "-out", path, "-algorithm"] + options)
        var jwk: [JSON.Member] = [
            .init("kid", .string(id)), .init("use", "sig"), .init("alg", .string(algorithm.rawValue)),
        ]
        switch algorithm {
        case .rs256:
            // "Modulus=C0FF…"
            let text = String(decoding: try run(["openssl", "rsa", "-in", path, "-noout", "-modulus"]), as: UTF8.self)
            let digits = text.split(separator: "=").last.map { $0.filter { !$0.isWhitespace }.lowercased() } ?? ""
            jwk += [
                .init("kty", "RSA"), .init("n", .string(Self.encode(Hex.decode(digits) ?? []))), .init("e", "AQAB"),
            ]
        case .es256:
            // The DER ends with the two coordinates.
            let point = try run(["openssl", "pkey", "-in", path, "-pubout", "-outform", "DER"]).suffix(64)
            jwk += [
                .init("kty", "EC"), .init("crv", "P-256"), .init("x", .string(Self.encode(Array(point.prefix(32))))),
                .init("y", .string(Self.encode(Array(point.suffix(32))))),
            ]
        }
        return Key(id: id, algorithm: algorithm, path: path, jwk: .object(jwk))
    }

    /// Signs claims.
    ///
    /// - Parameter header: Members of the header instead of the usual ones; `nil` removes one.
    package func token(
        _ claims: KeyValuePairs<String, JSON?>, by key: Key, header changes: [String: JSON?] = [:]
    ) throws -> String {
        try token(JSON.object(claims), by: key, header: changes)
    }

    package func token(
        of claims: [String: JSON], by key: Key, header changes: [String: JSON?] = [:]
    ) throws -> String {
        let members = claims.sorted { $0.key < $1.key }.map { JSON.Member($0.key, $0.value) }
        return try token(JSON.object(members), by: key, header: changes)
    }

    private func token(_ claims: JSON, by key: Key, header changes: [String: JSON?]) throws -> String {
        var header: [String: JSON] = ["alg": .string(key.algorithm.rawValue), "kid": .string(key.id), "typ": "JWT"]
        for (name, value) in changes { header[name] = value }
        let members = header.map { JSON.Member($0.key, $0.value) }
        let signed = Self.encode(JSON.object(members).bytes()) + "." + Self.encode(claims.bytes())
        let path = "\(folder)/issuer-\(UUID().uuidString).txt"
        try Data(signed.utf8).write(to: URL(filePath: path))
        var signature = try run(["openssl", "dgst", "-sha256", "-sign", key.path, path])
        if key.algorithm == .es256 { signature = Self.raw(signature) }
        return signed + "." + Self.encode(signature)
    }

    private func run(_ command: [String]) throws -> [UInt8] {
        let run = try ToolRun(command, in: folder)
        guard run.status == 0 else { throw Failure(command: command) }
        return run.output
    }

    private static func encode(_ bytes: [UInt8]) -> String { Base64.encodeForURL(bytes) }

    /// Returns the two numbers of a DER signature in 32 bytes each.
    private static func raw(_ der: [UInt8]) -> [UInt8] {
        var rest = der.dropFirst(2)
        var numbers: [UInt8] = []
        for _ in 0..<2 {
            let length = Int(rest[rest.startIndex + 1])
            let number = rest.dropFirst(2).prefix(length).drop { $0 == 0 }
            numbers += [UInt8](repeating: 0, count: 32 - number.count) + number
            rest = rest.dropFirst(2 + length)
        }
        return numbers
    }
}
