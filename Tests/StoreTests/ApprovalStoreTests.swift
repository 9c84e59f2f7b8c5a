import Domain
import Ground
import Store
import Testing

/// Tests approval requests in the store, which several nodes share.
@Suite(.databases)
struct ApprovalStoreTests {
    private func draft(at delay: Int64 = 0) throws -> ApprovalDraft {
        let basis = JSON.object([
            "revisions": .object(["3": 2]), "terms": .object(["channel": "production", "percent": 50]),
        ])
        return ApprovalDraft(
            app: Fixture.app, channel: .production, action: .widenRelease, packages: [try Fixture.package("news")],
            version: try Fixture.version("1.0.0"), group: .release(ReleaseID(3), of: try Fixture.package("news")),
            requester: .token(1), requestedBy: "ann (#1)", address: "127.0.0.1",
            requestedAt: Fixture.start.adding(milliseconds: delay), reason: "r", request: .object(["percent": 50]),
            summary: "Widen release 3.", change: .object(["after": .object(["percent": 50]), "before": .null]),
            basis: try #require(ApprovalBasis(basis)), estimate: .object(["matching": 1, "seen": 2]))
    }

    private func make(_ draft: ApprovalDraft, in store: SQLStore) async throws -> Approval {
        try await store.createApproval(draft) { id in
            AuditEntry(
                time: draft.requestedAt, actor: "a", action: "approval.request", app: Fixture.app, subject: "\(id)")
        }
    }

    private func entry(
        _ state: ApprovalState, _ id: ApprovalID, at delay: Int64 = 1, companions: [AuditEntry] = []
    ) -> AuditEntry {
        AuditEntry(
            time: Fixture.start.adding(milliseconds: delay), actor: "bob (#2)", action: "approval.\(state)",
            app: Fixture.app, subject: "\(id)",
            decision: ApprovalDecision(state, id, by: "bob (#2)", comment: "c"), companions: companions)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a request is read as it was made`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let made = try await make(draft(), in: store)
        #expect(try await store.approval(made.id, of: Fixture.app) == made)
        #expect(try await store.approvals(of: Fixture.app) == [made])
        let other = try #require(AppID("other"))
        #expect(try await store.approval(made.id, of: other) == nil)
        #expect(try await store.approvals(of: other) == [])
        #expect(try await store.audit(before: nil, limit: 1).map(\.entry.subject) == ["\(made.id)"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a request is decided once, also by the entry of another change`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let (first, second) = (try await make(draft(), in: store), try await make(draft(), in: store))
        try await store.decideApproval(audit: entry(.rejected, first.id))
        let decided = try #require(try await store.approval(first.id, of: Fixture.app))
        #expect(decided.state(at: Fixture.start) == .rejected && decided.comment == "c")
        #expect(decided.decidedBy == "bob (#2)" && decided.decidedAt == Fixture.start.adding(milliseconds: 1))
        let count = try await store.audit(before: nil, limit: 100).count
        #expect(try await code { try await store.decideApproval(audit: entry(.approved, first.id)) } == .conflict)
        let change = AuditEntry(
            time: Fixture.start, actor: "a", action: "channel.declare", app: Fixture.app, subject: "beta",
            companions: [entry(.approved, first.id)])
        let beta = try Fixture.channel("beta")
        // The change fails with the decision.
        #expect(
            try await code { _ = try await store.declareChannel(beta, of: Fixture.app, audit: change) } == .conflict)
        #expect(try await store.channel(beta, of: Fixture.app) == nil)
        #expect(try await store.audit(before: nil, limit: 100).count == count)
        let right = AuditEntry(
            time: Fixture.start, actor: "a", action: "channel.declare", app: Fixture.app, subject: "beta",
            companions: [entry(.approved, second.id)])
        #expect(try await store.declareChannel(beta, of: Fixture.app, audit: right))
        #expect(
            try await store.audit(before: nil, limit: 2).map(\.entry.action) == [
                "channel.declare", "approval.approved",
            ])
    }

    @Test(arguments: DatabaseKind.allCases, [ApprovalParty.Part.requester, .decider])
    func `a decision needs the rights of its operators in its own transaction`(
        on database: DatabaseKind, part: ApprovalParty.Part
    ) async throws {
        let store = try await database.withNews()
        let now = Fixture.start.adding(milliseconds: 1)
        let token = try await store.createToken(
            TokenDraft(name: "a", grant: Grant(.releaser, on: .app(Fixture.app)), owner: "b", expiresAt: now),
            secretHash: Fixture.digest(1), audit: Fixture.audit("token.create"))
        let viewer = try await store.createToken(
            name: "v", role: .publisher, secretHash: Fixture.digest(2), audit: Fixture.audit("token.create"))
        let made = try await make(draft(), in: store)
        func approve(by id: Int64, at time: Timestamp) async throws -> PlatformError.Code? {
            let party = ApprovalParty(part, .token(id), named: "a", on: .production, of: Fixture.app)
            let decision = ApprovalDecision(.approved, made.id, by: "bob (#2)", parties: [party])
            let entry = AuditEntry(
                time: time, actor: "bob (#2)", action: "approval.approve", app: Fixture.app, subject: "\(made.id)",
                decision: decision)
            return try await code { try await store.decideApproval(audit: entry) }
        }
        let refusal: PlatformError.Code = part == .requester ? .conflict : .forbidden
        #expect(try await approve(by: token.id, at: now) == refusal)
        #expect(try await approve(by: viewer.id, at: Fixture.start) == refusal)
        #expect(try await approve(by: 99, at: Fixture.start) == refusal)
        #expect(try await store.approval(made.id, of: Fixture.app) == made)
        #expect(try await approve(by: token.id, at: Fixture.start) == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a request is open until its end, and found from then on`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let made = try await make(draft(), in: store)
        let end = made.draft.expiresAt
        let last = end.adding(milliseconds: -1)
        #expect(try await store.expiredApprovals(at: last, limit: 10) == [])
        #expect(try await store.expiredApprovals(at: end, limit: 10) == [made])
        #expect(try await store.expiredApprovals(at: end, limit: 0) == [])
        let life = Approval.lifetimeMilliseconds
        #expect(
            try await code { try await store.decideApproval(audit: entry(.expired, made.id, at: life - 1)) }
                == .conflict)
        #expect(
            try await code { try await store.decideApproval(audit: entry(.approved, made.id, at: life)) } == .conflict)
        try await store.decideApproval(audit: entry(.expired, made.id, at: life))
        #expect(try await store.expiredApprovals(at: end, limit: 10) == [])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the last 500 decided requests are kept, and the pending ones`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let pending = try await make(draft(), in: store)
        var ids: [ApprovalID] = []
        for _ in 0...Approval.keptDecided {
            let made = try await make(draft(), in: store)
            try await store.decideApproval(audit: entry(.rejected, made.id))
            ids.append(made.id)
        }
        let newest = try await make(draft(), in: store)
        #expect(try await store.approvals(of: Fixture.app).map(\.id) == [pending.id] + ids.dropFirst() + [newest.id])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a rehearsed request and a rehearsed decision leave nothing`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let made = try await make(draft(), in: store)
        let dry = AuditEntry(
            time: Fixture.start, actor: "a", action: "approval.approve", app: Fixture.app, subject: "1",
            isRehearsal: true, decision: ApprovalDecision(.approved, made.id, by: "b"))
        try await store.decideApproval(audit: dry)
        #expect(try await store.approval(made.id, of: Fixture.app) == made)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a channel has a number of approvals`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        #expect(try await store.channels(of: Fixture.app) == [Channel(name: .production)])
        let guarded = Channel(name: .production, approvals: 1)
        let version = try await store.state(of: Fixture.app).configVersion
        #expect(try await !store.putChannel(guarded, of: Fixture.app, audit: Fixture.audit("channel.change")))
        #expect(try await store.channel(.production, of: Fixture.app) == guarded)
        let after = try await store.state(of: Fixture.app).configVersion
        #expect(after > version)
        #expect(try await !store.putChannel(guarded, of: Fixture.app, audit: Fixture.audit("x")))
        #expect(try await store.state(of: Fixture.app).configVersion == after)
    }
}
