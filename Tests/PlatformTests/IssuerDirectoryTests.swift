import Artifacts
import Domain
import Execution
import Ground
import HTTP
import Platform
import TestKit
import Testing
import Wiring

/// Tests the reading of issuers' keys and the verification of their identity tokens.
@Suite(.scratchDirectory, .timeLimit(.minutes(5)))
struct IssuerDirectoryTests {
    private let instant = ManualInstant()
    private let work = WorkExecutor(label: "test.issuers", threads: IssuerDirectory.width)
    private let cryptography = OpenSSLCryptography()

    private func directory() throws -> IssuerDirectory {
        let client = HTTPIssuerClient(permitting: [try #require(AddressRange("127.0.0.0/8"))])
        return IssuerDirectory(client: client, work: work, log: RecordingLog(), now: { [instant] in instant.now })
    }

    private func verifies(_ text: String, from issuer: TestIssuer, by directory: IssuerDirectory) async throws -> Bool {
        let token = try IdentityToken(parsing: text)
        guard let key = try await directory.key(for: token, of: issuer.url) else { return false }
        return cryptography.verify(token, by: key)
    }

    @Test(arguments: IdentityToken.Algorithm.allCases)
    func `a token by a published key is genuine, and not with another byte or by another key`(
        algorithm: IdentityToken.Algorithm
    ) async throws {
        let (issuer, directory) = (try TestIssuer(), try directory())
        let (key, other) = (try issuer.makeKey("a", algorithm), try issuer.makeKey("a", algorithm))
        issuer.publish(key)
        let text = try issuer.token(["sub": "job"], by: key)
        #expect(try await verifies(text, from: issuer, by: directory))
        #expect(try await !verifies(issuer.token(["sub": "job"], by: other), from: issuer, by: directory))
        var parts = text.split(separator: ".").map(String.init)
        parts[1] = try String(issuer.token(["sub": "jab"], by: key).split(separator: ".")[1])
        #expect(try await !verifies(parts.joined(separator: "."), from: issuer, by: directory))
    }

    @Test func `a token does not choose the kind of its key`() async throws {
        let (issuer, directory) = (try TestIssuer(), try directory())
        let key = try issuer.makeKey("a")
        issuer.publish(key)
        for algorithm: JSON in ["none", "HS256", "rs256", "RS512"] {
            #expect(throws: IdentityTokenFault.self) {
                try IdentityToken(parsing: issuer.token(["sub": "job"], by: key, header: ["alg": algorithm]))
            }
        }
        let posing = try issuer.token(["sub": "job"], by: key, header: ["alg": "ES256"])
        #expect(try await !verifies(posing, from: issuer, by: directory))
        #expect(throws: IdentityTokenFault.self) {
            try IdentityToken(parsing: issuer.token(["sub": "job"], by: key, header: ["crit": .array(["exp"])]))
        }
    }

    @Test func `a new key of the issuer is found, and the keys are read once a minute at most`() async throws {
        let (issuer, directory) = (try TestIssuer(), try directory())
        let (old, new) = (try issuer.makeKey("old"), try issuer.makeKey("new"))
        let (first, second) = (try issuer.token(["sub": "a"], by: old), try issuer.token(["sub": "b"], by: new))
        issuer.publish(old)
        for _ in 0..<3 { #expect(try await verifies(first, from: issuer, by: directory)) }
        // The description of the issuer and its keys.
        #expect(issuer.requests == 2)
        issuer.publish(old, new)
        #expect(try await !verifies(second, from: issuer, by: directory))
        #expect(issuer.requests == 2)
        instant.advance(.seconds(60))
        #expect(try await verifies(second, from: issuer, by: directory))
        #expect(issuer.requests == 4)
        issuer.publish(new)
        instant.advance(.seconds(3_600))
        #expect(try await verifies(second, from: issuer, by: directory))
        #expect(try await !verifies(first, from: issuer, by: directory))
    }

    @Test func `a token without a key id needs a single key of its algorithm`() async throws {
        let (issuer, directory) = (try TestIssuer(), try directory())
        let (one, two) = (try issuer.makeKey("one"), try issuer.makeKey("two"))
        let text = try issuer.token(["sub": "a"], by: one, header: ["kid": nil])
        issuer.publish(one, try issuer.makeKey("other", .es256))
        #expect(try await verifies(text, from: issuer, by: directory))
        issuer.publish(one, two)
        instant.advance(.seconds(3_600))
        #expect(try await !verifies(text, from: issuer, by: directory))
    }

    @Test func `while an issuer does not respond, its last keys count, and without any the caller is to wait`()
        async throws
    {
        let (issuer, directory) = (try TestIssuer(), try directory())
        let key = try issuer.makeKey("a")
        let text = try issuer.token(["sub": "a"], by: key)
        issuer.publish(key)
        issuer.setDown(true)
        let token = try IdentityToken(parsing: text)
        for _ in 0..<2 {
            let error = await #expect(throws: PlatformError.self) {
                try await directory.key(for: token, of: issuer.url)
            }
            #expect(error?.code == .busy && error?.retryAfter == 60)
        }
        issuer.setDown(false)
        instant.advance(.seconds(60))
        #expect(try await verifies(text, from: issuer, by: directory))
        issuer.setDown(true)
        instant.advance(.seconds(7_200))
        #expect(try await verifies(text, from: issuer, by: directory))
    }

    @Test func `an issuer at an address that is not permitted is not asked`() async throws {
        let issuer = try TestIssuer()
        let directory = IssuerDirectory(client: HTTPIssuerClient(), work: work, log: RecordingLog())
        let token = try IdentityToken(parsing: issuer.token(["sub": "a"], by: issuer.makeKey("a")))
        await #expect(throws: PlatformError.self) { try await directory.key(for: token, of: issuer.url) }
        #expect(issuer.requests == 0)
        #expect(throws: PlatformError.self) { try directory.requireUsable(issuer.url) }
        for url in ["ftp://ci.example", "http://ci.example", "http://93.184.216.34"] {
            #expect(throws: PlatformError.self) { try directory.requireUsable(url) }
        }
        #expect(throws: Never.self) { try directory.requireUsable("https://ci.example") }
    }
}
