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
        _ = try await store.revokeToken(first.id, ifMatch: nil, audit: Fixture.audit("token.revoke"))
        await #expect(throws: PlatformError.self) {
            try await store.revokeToken(second.id, ifMatch: nil, audit: Fixture.audit("token.revoke"))
        }
        #expect(try await store.token(secretHash: Fixture.digest(2)) == FoundToken(token: second, secretEnd: nil))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a token is found by its hash until it is revoked`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        let hash = try Fixture.digest(1)
        let audit = Fixture.audit("token.create", app: nil)
        let token = try await store.createToken(name: "CI", role: .releaser, secretHash: hash, audit: audit)
        #expect(token.createdAt == Fixture.start)
        #expect(try await store.token(secretHash: hash)?.token == token)
        #expect(try await store.token(secretHash: Fixture.digest(2)) == nil)

        let later = Fixture.start.adding(milliseconds: 5)
        let revoked = try await store.revokeToken(
            token.id, ifMatch: nil, audit: Fixture.audit("token.revoke", at: later))
        #expect(
            revoked
                == Token(
                    id: token.id, name: "CI", role: .releaser, owner: audit.actor, createdAt: Fixture.start,
                    revokedAt: later, revision: 2))
        #expect(try await store.token(secretHash: hash) == nil)
        #expect(try await store.tokens() == [revoked])

        let again = Fixture.audit("token.revoke", at: later.adding(milliseconds: 5))
        #expect(try await store.revokeToken(token.id, ifMatch: nil, audit: again) == revoked)
        #expect(try await store.revokeToken(99, ifMatch: nil, audit: again) == nil)
        #expect(try await store.audit(before: nil, limit: 9).map(\.entry.action) == ["token.revoke", "token.create"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a rotated token is found by its former secret, and by no earlier one`(on database: DatabaseKind) async throws
    {
        let store = try database.empty()
        let hashes = try (1...4).map { try Fixture.digest($0) }
        let audit = Fixture.audit("token.create", app: nil)
        let token = try await store.createToken(name: "CI", role: .viewer, secretHash: hashes[0], audit: audit)
        let end = Fixture.start.adding(milliseconds: 1000)
        func rotate(to hash: SHA256Digest, until end: Timestamp) async throws -> Token? {
            try await store.changeToken(
                token.id, TokenChange(secret: (hash, end)), ifMatch: nil, audit: Fixture.audit("token.rotate", app: nil)
            )
        }
        let second = try await rotate(to: hashes[1], until: end)
        #expect(second?.previousSecretExpiresAt == end && second?.revision == 2)
        #expect(try await store.token(secretHash: hashes[0])?.secretEnd == end)
        #expect(try await store.token(secretHash: hashes[1])?.secretEnd == nil)
        _ = try await rotate(to: hashes[2], until: end)
        #expect(try await store.token(secretHash: hashes[0]) == nil)
        #expect(try await store.token(secretHash: hashes[1])?.secretEnd == end)
        // Without an overlap, no former secret is left.
        let fourth = try await rotate(to: hashes[3], until: Fixture.start)
        #expect(fourth?.previousSecretExpiresAt == nil)
        #expect(try await store.token(secretHash: hashes[2]) == nil)
        #expect(try await store.token(secretHash: hashes[3])?.token == fourth)
        let stale = IfMatchPrecondition.tags(["3"])
        #expect(
            try await code {
                _ = try await store.changeToken(token.id, TokenChange(name: "x"), ifMatch: stale, audit: audit)
            } == .preconditionFailed)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a token has an existing scope`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        try await store.addNews()
        let absent = try #require(AppID("absent"))
        for (number, (scope, expected)) in [
            (Scope.everything, nil), (.app(Fixture.app), nil), (.channel(.production, of: Fixture.app), nil),
            (.app(absent), PlatformError.Code.appNotFound),
            (.channel(try #require(ChannelName("absent")), of: Fixture.app), .channelNotFound),
        ].enumerated() {
            let draft = TokenDraft(name: "", grant: Grant(.viewer, on: scope), owner: "me", expiresAt: Fixture.start)
            let hash = try Fixture.digest(number + 1)
            let audit = Fixture.audit("token.create", app: nil)
            #expect(
                try await code { _ = try await store.createToken(draft, secretHash: hash, audit: audit) } == expected)
            let found = try await store.token(secretHash: hash)?.token
            #expect(found?.grant.scope == (expected == nil ? scope : nil))
            #expect(found?.expiresAt == (expected == nil ? Fixture.start : nil))
        }
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

    @Test(arguments: DatabaseKind.allCases)
    func `the first young entry after another one is found, of any app and with older ones after it`(
        on database: DatabaseKind
    ) async throws {
        let store = try database.empty()
        #expect(try await store.firstAudit(after: 0, within: Fixture.start...Fixture.start) == nil)
        // The clock of the third entry's node was behind.
        for (app, delay) in [(Fixture.app, 0), (nil, 10), (Fixture.app, 1), (Fixture.app, 20)] as [(AppID?, Int64)] {
            try await store.recordAudit(
                Fixture.audit("x.y", at: Fixture.start.adding(milliseconds: delay), app: app))
        }
        let ids = try await store.audit(before: nil, limit: 9).map(\.id).reversed() as [Int64]
        func first(after id: Int64, since milliseconds: Int64) async throws -> Int64? {
            let earliest = Fixture.start.adding(milliseconds: milliseconds)
            return try await store.firstAudit(after: id, within: earliest...earliest.adding(milliseconds: 1_000))
        }
        // The clock of an entry's node may be ahead as well.
        #expect(try await first(after: 0, since: -1_000) == ids[0])
        #expect(try await first(after: 0, since: -1_001) == nil)
        #expect(try await first(after: 0, since: 0) == ids[0])
        #expect(try await first(after: 0, since: 1) == ids[1])
        #expect(try await first(after: 0, since: 10) == ids[1])
        #expect(try await first(after: 0, since: 11) == ids[3])
        #expect(try await first(after: ids[1], since: 1) == ids[2])
        #expect(try await first(after: ids[1], since: 2) == ids[3])
        #expect(try await first(after: 0, since: 21) == nil)
        #expect(try await first(after: ids[3], since: 0) == nil)
        let own = try await store.audit(of: Fixture.app, after: ids[0], limit: 9)
        #expect(own.map(\.id) == [ids[2], ids[3]])
    }

    @Test func `the entries of a quiet app are found without reading those of the others`() throws {
        let database = try Database(.memory)
        try Migrator().migrate(database)
        let plan: [String] = try database.rows(
            "EXPLAIN QUERY PLAN SELECT subject FROM audit WHERE id > 5 AND app = 'default' ORDER BY id LIMIT 200"
        ) { try $0[3] }
        #expect(plan.count == 1 && plan[0].contains("audit_by_app (app=? AND id>?)"), "\(plan)")
    }
}
