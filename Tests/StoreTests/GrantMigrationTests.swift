import Domain
import Ground
import Store
import TestKit
import Testing

/// Tests that the tokens and the keys of requests of earlier servers are kept.
@Suite(.scratchDirectory, .databases)
struct GrantMigrationTests {
    @Test(arguments: DatabaseKind.allCases)
    func `an earlier token is for everything and does not expire, and its keys are known`(
        on kind: DatabaseKind
    ) async throws {
        let location = try kind.blankLocation().shared
        let database = try Database(location)
        let migrations = Migration.embedded(for: database.dialect)
        try Migrator(Array(migrations.prefix(kind == .sqlite ? 33 : 14))).migrate(database)
        let hashes = [try Fixture.digest(1), try Fixture.digest(2)]
        let key = try #require(IdempotencyKey("a"))
        for (name, role, hash, end) in [("one", "admin", hashes[0], nil), ("two", "publisher", hashes[1], 5)]
            as [(String, String, SHA256Digest, Int64?)]
        {
            try database.execute(
                """
                INSERT INTO tokens (name, role, secret_hash, created_at, revoked_at)
                VALUES (\(name), \(role), \(hash), 1, \(end))
                """)
        }
        try database.execute(
            """
            INSERT INTO idempotency_keys (token, key, request, claimed_at)
            VALUES (1, \(key.text), \(Array(repeating: UInt8(9), count: 16)), \(Fixture.start))
            """)
        let store = try SQLStore(opening: location)
        let tokens = try await store.tokens()
        #expect(tokens.map(\.grant) == [Grant(.admin, on: .everything), Grant(.publisher, on: .everything)])
        #expect(tokens.map(\.revokedAt) == [nil, Timestamp(milliseconds: 5)])
        #expect(tokens.allSatisfy { $0.expiresAt == nil && $0.owner == nil && $0.revision == 1 })
        #expect(try await store.token(secretHash: hashes[0])?.token == tokens[0])
        #expect(
            try await store.requestRecord(of: key, by: .token(1), at: Fixture.start)
                == .unfinished(claimedAt: Fixture.start))
        let next = try await store.createToken(
            name: "three", role: .viewer, secretHash: Fixture.digest(3), audit: Fixture.audit("token.create", app: nil))
        #expect(next.id == 3)
    }
}
