import Domain
import ServiceKit
import TestKit
import Testing

@testable import Platform

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct TokenAuthorityTests {
    @Test(arguments: Role.allCases)
    func `a secret identifies its token`(role: Role) async throws {
        let service = try await TestService(hasLegacyKey: false)
        let (token, secret) = try await service.tokens.create(name: "ci", role: role, by: .server)
        let author = try #require(try await service.tokens.authenticate(secret))
        #expect(author.role == role)
        #expect(author.name == "ci (#\(token.id))")
        for needed in Role.allCases {
            let isAllowed = (try? author.require(needed, on: .everything)) != nil
            #expect(isAllowed == (role >= needed))
        }
    }

    @Test func `a secret has 256 bits, and is kept as a digest alone`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let secret = try await service.makeToken(.admin)
        #expect(secret.utf8.count == "larder_".utf8.count + 64)
        let digest = service.cryptography.sha256(Array(secret.utf8))
        #expect(try await service.store.token(secretHash: digest) != nil)
        let audit = try await service.store.audit(before: nil, limit: 10).map { "\($0.entry)" }.joined()
        #expect(!audit.contains(secret.dropFirst(7)))
    }

    @Test func `an unknown secret identifies no token`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let secret = try await service.makeToken(.admin)
        for wrong in ["", "larder_", secret.dropLast() + "", secret + "0", secret.uppercased()] {
            #expect(try await service.tokens.authenticate(String(wrong)) == nil)
        }
    }

    @Test func `a revoked token is refused from the next request on`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let (token, secret) = try await service.tokens.create(name: "ci", role: .publisher, by: .server)
        let other = try await service.makeToken(.admin)
        #expect(try await service.tokens.authenticate(secret) != nil)
        service.clock.advance(milliseconds: 1000)
        #expect(try await service.tokens.revoke(token.id, by: .server).revokedAt == service.clock.now())
        #expect(try await service.tokens.authenticate(secret) == nil)
        #expect(try await service.restarted().tokens.authenticate(secret) == nil)
        #expect(try await service.tokens.authenticate(other) != nil)
        #expect(try await service.tokens.tokens().first { $0.id == token.id }?.revokedAt != nil)
    }

    @Test func `beside other servers a cached token is valid for five seconds, and then looked up`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let clock = ManualInstant()
        let tokens = TokenAuthority(
            store: service.store, cryptography: service.cryptography, clock: service.clock, isShared: true,
            now: { clock.now })
        let (token, secret) = try await tokens.create(name: "ci", role: .publisher, by: .server)
        let lookups = Counter()
        service.store.setBefore(.token) { lookups.increment() }
        // Nothing is known of revocations yet.
        for count in 1...2 {
            #expect(try await tokens.authenticate(secret) != nil)
            #expect(lookups.value == count)
        }
        tokens.follow(changes: 1, asOf: clock.now)
        #expect(try await tokens.authenticate(secret) != nil && lookups.value == 3)
        // Another server revokes the token, and nothing arrives here.
        _ = try await service.tokens.revoke(token.id, by: .server)
        clock.advance(TokenAuthority.trust - .nanoseconds(1))
        #expect(try await tokens.authenticate(secret) != nil && lookups.value == 3)
        clock.advance(.nanoseconds(1))
        #expect(try await tokens.authenticate(secret) == nil && lookups.value == 4)
    }

    @Test func `a token that is revoked while it is looked up is not remembered`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let (token, secret) = try await service.tokens.create(name: "ci", role: .publisher, by: .server)
        service.store.setAfter(.token) { () throws(PlatformError) in
            _ = try await service.tokens.revoke(token.id, by: .server)
        }
        // It was valid when it was looked up.
        #expect(try await service.tokens.authenticate(secret) != nil)
        service.store.setAfter(.token, nil)
        #expect(try await service.tokens.authenticate(secret) == nil)
    }

    @Test(arguments: [PlatformError.Code.storageFailed, .storageUnavailable])
    func `a token whose revocation was committed with a lost connection is refused`(
        code expected: PlatformError.Code
    ) async throws {
        let service = try await TestService(hasLegacyKey: false)
        let (token, secret) = try await service.tokens.create(name: "ci", role: .publisher, by: .server)
        _ = try await service.tokens.authenticate(secret)
        service.store.setAfter(.revokeToken) { () throws(PlatformError) in throw PlatformError(expected, "lost") }
        #expect(try await code { _ = try await service.tokens.revoke(token.id, by: .server) } == expected)
        #expect(try await service.tokens.authenticate(secret) == nil)
    }

    @Test func `a known token is not looked up again`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let secret = try await service.makeToken(.admin)
        _ = try await service.tokens.authenticate(secret)
        service.store.setBefore(.token) { () throws(PlatformError) in throw storeFailure }
        #expect(try await service.tokens.authenticate(secret) != nil)
    }

    @Test func `the last admin token stays`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let (last, secret) = try await service.tokens.create(name: "last", role: .admin, by: .server)
        #expect(try await code { _ = try await service.tokens.revoke(last.id, by: .server) } == .conflict)
        #expect(try await service.tokens.authenticate(secret) != nil)
    }

    @Test func `a missing token cannot be revoked`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        #expect(try await code { _ = try await service.tokens.revoke(99, by: .server) } == .tokenNotFound)
    }

    @Test(arguments: [(1, true), (100, true), (101, false), (0, false)])
    func `a name has 1 to 100 bytes`(length: Int, isTaken: Bool) async throws {
        let service = try await TestService(hasLegacyKey: false)
        let name = String(repeating: "n", count: length)
        let code = try await code { _ = try await service.tokens.create(name: name, role: .admin, by: .server) }
        #expect(code == (isTaken ? nil : .invalidRequest))
    }

    @Test func `line ends in a name are left out`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        #expect(try await service.tokens.create(name: "a\r\nb\n", role: .admin, by: .server).token.name == "ab")
        #expect(
            try await code { _ = try await service.tokens.create(name: "\n", role: .admin, by: .server) }
                == .invalidRequest)
    }
}
