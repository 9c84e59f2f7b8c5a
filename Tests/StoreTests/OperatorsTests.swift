import Domain
import Ground
import Store
import Testing

@Suite(.databases)
struct OperatorsTests {
    @Test(arguments: DatabaseKind.allCases)
    func `the last admin token cannot be revoked`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        let audit = Fixture.audit("token.create")
        let first = try await store.createToken(name: "one", role: .admin, secretHash: Fixture.digest(1), audit: audit)
        let second = try await store.createToken(name: "two", role: .admin, secretHash: Fixture.digest(2), audit: audit)
        _ = try await store.createToken(name: "ci", role: .publisher, secretHash: Fixture.digest(3), audit: audit)
        _ = try await store.revokeToken(first.id, audit: Fixture.audit("token.revoke"))
        await #expect(throws: PlatformError.self) {
            try await store.revokeToken(second.id, audit: Fixture.audit("token.revoke"))
        }
        #expect(try await store.token(secretHash: Fixture.digest(2)) == second)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a token is found by its hash until it is revoked`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        let hash = try Fixture.digest(1)
        let audit = Fixture.audit("token.create", app: nil)
        let token = try await store.createToken(name: "CI", role: .releaser, secretHash: hash, audit: audit)
        #expect(token.createdAt == Fixture.start)
        #expect(try await store.token(secretHash: hash) == token)
        #expect(try await store.token(secretHash: Fixture.digest(2)) == nil)

        let later = Fixture.start.adding(milliseconds: 5)
        let revoked = try await store.revokeToken(token.id, audit: Fixture.audit("token.revoke", at: later))
        #expect(
            revoked == Token(id: token.id, name: "CI", role: .releaser, createdAt: Fixture.start, revokedAt: later))
        #expect(try await store.token(secretHash: hash) == nil)
        #expect(try await store.tokens() == [revoked])

        let again = Fixture.audit("token.revoke", at: later.adding(milliseconds: 5))
        #expect(try await store.revokeToken(token.id, audit: again) == revoked)
        #expect(try await store.revokeToken(99, audit: again) == nil)
        #expect(try await store.audit(before: nil, limit: 9).map(\.entry.action) == ["token.revoke", "token.create"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `two tokens cannot have one secret`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        let audit = Fixture.audit("token.create", app: nil)
        let hash = try Fixture.digest(1)
        _ = try await store.createToken(name: "a", role: .admin, secretHash: hash, audit: audit)
        #expect(
            try await code { _ = try await store.createToken(name: "b", role: .admin, secretHash: hash, audit: audit) }
                == .internalError)
        #expect(try await store.audit(before: nil, limit: 9).count == 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the audit log is read from the newest back`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        let entries = (0..<5).map { number in
            AuditEntry(
                time: Fixture.start, actor: "server", action: "a.\(number)", app: number == 0 ? nil : Fixture.app,
                subject: "'\"", details: [.init("a", 1), .init("b", .object(["c": .array([])]))])
        }
        for entry in entries { try await store.recordAudit(entry) }
        let newest = try await store.audit(before: nil, limit: 2)
        #expect(newest.map(\.entry) == [entries[4], entries[3]])
        let rest = try await store.audit(before: newest.last?.id, limit: 99)
        #expect(rest.map(\.entry) == [entries[2], entries[1], entries[0]])
        #expect(try await store.audit(before: rest.last?.id, limit: 99).isEmpty)
    }
}
