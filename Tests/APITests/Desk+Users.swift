import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing

extension Desk {
    static let password = "correct horse battery"

    /// A user who is signed in.
    struct Person {
        let id: Int64
        /// The value of `Cookie`.
        let cookie: String
    }

    /// Creates a user; the grant is that of an admin of everything unless given.
    @discardableResult
    func makeUser(_ name: String, _ grant: Grant = Grant(.admin, on: .everything)) async throws -> TestResponse {
        let body = JSON.object([
            "name": .string(name), "password": .string(Self.password),
            "grants": .array([.object(grant.members)]),
        ])
        let made = try await call("POST", Self.api + "/users", body)
        try #require(made.status == 201, "\(made.text)")
        return made
    }

    /// Sends a request to sign in as a program does.
    func trySigningIn(
        _ name: String, _ password: String = Desk.password, code: String? = nil, from address: String? = nil
    ) async throws -> TestResponse {
        let body = JSON.object([
            "user": .string(name), "password": .string(password), "code": code.map { .string($0) },
        ])
        var request = TestRequest("POST", Self.api + "/session", body: body.bytes())
        if let address { request = request.from(try #require(PeerAddress(address[...]))) }
        return try await service.send(request)
    }

    /// Signs a user in.
    func signIn(_ name: String, code: String? = nil) async throws -> Person {
        let response = try await trySigningIn(name, code: code)
        try #require(response.status == 201, "\(response.text)")
        let cookie = try #require(response["Set-Cookie"]?.split(separator: ";").first)
        return Person(id: try #require(try response.json["id"]?.integer), cookie: String(cookie))
    }

    /// Sends a request of a page of the server that has a session.
    func call(
        _ method: String, _ path: String, _ body: JSON? = nil, as person: Person
    ) async throws -> TestResponse {
        try await service.send(
            TestRequest(method, Self.api + path, body: body.map { $0.bytes() }).with("Cookie", person.cookie)
                .with("Sec-Fetch-Site", "same-origin"))
    }

    /// The body of requests that need the password of the user.
    static let ownPassword = JSON.object(["password": .string(password)])

    /// Begins and confirms a second factor, and returns its secret and its recovery codes.
    func addSecondFactor(of person: Person) async throws -> (secret: [UInt8], recovery: [String]) {
        let begun = try await call("POST", "/user/totp", Self.ownPassword, as: person)
        try #require(begun.status == 201, "\(begun.text)")
        let text = try #require(try begun.json["secret"]?.string)
        let secret = try #require(Self.base32(text))
        let confirmed = try await call(
            "POST", "/user/totp/confirm", .object(["code": .string(code(of: secret))]), as: person)
        try #require(confirmed.status == 200, "\(confirmed.text)")
        return (secret, try #require(try confirmed.json["recoveryCodes"]?.elements).compactMap(\.string))
    }

    /// Returns the code of a secret, some steps from now.
    func code(of secret: [UInt8], after steps: Int64 = 0) -> String {
        let step = service.clock.now().milliseconds / 30_000 + steps
        return SecondFactor.code(of: secret, at: step, by: service.cryptography)
    }

    private static func base32(_ text: String) -> [UInt8]? {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var (bytes, bits, count): ([UInt8], Int, Int) = ([], 0, 0)
        for character in text {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            (bits, count) = ((bits << 5 | value) & 0xFFFF, count + 5)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(bits >> count & 0xFF))
            }
        }
        return bytes
    }
}
