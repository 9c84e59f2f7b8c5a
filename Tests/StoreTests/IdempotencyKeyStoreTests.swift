import Domain
import Ground
import Store
import TestKit
import Testing

/// Tests the keys of requests in the store, as several nodes use them.
@Suite(.scratchDirectory, .databases)
struct IdempotencyKeyStoreTests {
    private func claim(_ request: UInt8, key: String = "a", by token: Int64 = 1) throws -> RequestClaim {
        RequestClaim(
            holder: .token(token), key: try #require(IdempotencyKey(key)), request: Array(repeating: request, count: 16)
        )
    }

    private func store(on database: DatabaseKind) async throws -> SQLStore {
        let store = try database.empty()
        _ = try await store.createToken(
            name: "ci", role: .admin, secretHash: Fixture.digest(1), audit: Fixture.audit("token.create", app: nil))
        return store
    }

    private func entry(_ claim: RequestClaim, after delay: Int64 = 0, isRehearsal: Bool = false) -> AuditEntry {
        AuditEntry(
            time: Fixture.start.adding(milliseconds: delay), actor: "me", action: "change", app: nil, subject: "x",
            isRehearsal: isRehearsal, claim: claim)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `of two requests with one key only the first one makes its change`(on database: DatabaseKind) async throws {
        let store = try await store(on: database)
        let first = try claim(1)
        // Some requests make several changes.
        for _ in 0..<2 { try await store.recordAudit(entry(first)) }
        #expect(try await code { try await store.recordAudit(entry(claim(2))) } == .idempotencyKeyInUse)
        #expect(try await store.audit(before: nil, limit: 9).filter { $0.entry.action == "change" }.count == 2)
        let unfinished = try await store.requestRecord(of: first.key, by: .token(1), at: Fixture.start)
        #expect(unfinished == .unfinished(claimedAt: Fixture.start))
        // The second request does not end the first one.
        let response = KeptResponse(status: 201, contentType: "a/b", location: "/c", tag: nil, body: [1, 2])
        try await store.finishRequest(claim(2), fingerprint: Fixture.digest(2), response: nil)
        #expect(try await store.requestRecord(of: first.key, by: .token(1), at: Fixture.start) == unfinished)
        try await store.finishRequest(first, fingerprint: Fixture.digest(1), response: response)
        #expect(
            try await store.requestRecord(of: first.key, by: .token(1), at: Fixture.start)
                == .finished(fingerprint: Fixture.digest(1), response: response))
        #expect(try await store.requestRecord(of: first.key, by: .token(2), at: Fixture.start) == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a dry run and a failed change claim no key`(on database: DatabaseKind) async throws {
        let store = try await store(on: database)
        let dry = try claim(1)
        try await store.recordAudit(entry(dry, isRehearsal: true))
        #expect(try await store.requestRecord(of: dry.key, by: .token(1), at: Fixture.start) == nil)
        try await store.finishRequest(dry, fingerprint: Fixture.digest(1), response: nil)
        #expect(try await store.requestRecord(of: dry.key, by: .token(1), at: Fixture.start) == nil)
        try await store.recordAudit(entry(claim(2)))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a forgotten key may be claimed again, and is deleted`(on database: DatabaseKind) async throws {
        let location = try database.location()
        let store = try SQLStore(opening: location)
        _ = try await store.createToken(
            name: "ci", role: .admin, secretHash: Fixture.digest(1), audit: Fixture.audit("token.create", app: nil))
        try await store.recordAudit(entry(claim(1)))
        let life = IdempotencyKey.lifetimeMilliseconds
        #expect(try await code { try await store.recordAudit(entry(claim(2), after: life)) } == .idempotencyKeyInUse)
        try await store.recordAudit(entry(claim(2), after: life + 1))
        try await store.recordAudit(entry(claim(3, key: "b"), after: 2 * life + 2))
        let keys: [String] = try Database(location.shared).values("SELECT key FROM idempotency_keys")
        #expect(keys == ["b"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a token has at most 10,000 keys`(on database: DatabaseKind) async throws {
        let location = try database.location()
        let store = try SQLStore(opening: location)
        for number in 1...2 {
            _ = try await store.createToken(
                name: "ci", role: .admin, secretHash: Fixture.digest(number),
                audit: Fixture.audit("token.create", app: nil))
        }
        try Database(location.shared).execute(
            """
            WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
            INSERT INTO idempotency_keys (holder, key, request, claimed_at)
            SELECT 'token:1', 'k' || n, \(Array(repeating: UInt8(9), count: 16)), \(Fixture.start) FROM numbers
            """)
        try await store.recordAudit(entry(claim(1)))
        #expect(try await code { try await store.recordAudit(entry(claim(1, key: "b"))) } == .rateLimited)
        // Known ones go on, and so do other tokens.
        try await store.recordAudit(entry(claim(1)))
        try await store.recordAudit(entry(claim(1, key: "b", by: 2)))
    }
}
