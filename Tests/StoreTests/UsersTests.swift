import Domain
import Ground
import Store
import Testing

/// Tests users and sessions in the store, which several nodes share.
@Suite(.databases)
struct UsersTests {
    private static let hash = PasswordHash(
        hash: Array(repeating: 1, count: 32), salt: Array(repeating: 2, count: 16),
        cost: ScryptCost(logN: 4, r: 8, p: 1))
    private static let other = PasswordHash(hash: Array(repeating: 3, count: 32), salt: hash.salt, cost: hash.cost)
    private static let audit = Fixture.audit("user.change", app: nil)

    private func make(_ name: String, in store: SQLStore, _ grants: [Grant]) async throws -> User {
        try await store.createUser(
            try #require(UserName(name)), grants: grants, password: Self.hash, audit: Self.audit)
    }

    private func begin(
        _ number: Int, of user: User, in store: SQLStore, verified: PasswordHash = hash, at delay: Int64 = 0,
        using use: @Sendable (inout SecondFactor) throws(PlatformError) -> Void = { _ in }
    ) async throws -> Session? {
        try await store.beginSession(
            of: user.id, secretHash: Fixture.digest(number), address: "a", verified: verified, upgraded: nil,
            audit: Fixture.audit("session.begin", at: Fixture.start.adding(milliseconds: delay), app: nil), using: use)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a user is found with all grants, and gone with them`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        try await store.addNews()
        let grants = [
            Grant(.viewer, on: .everything), Grant(.publisher, on: .app(Fixture.app)),
            Grant(.releaser, on: .channel(.production, of: Fixture.app)),
        ]
        let ann = try await make("ann", in: store, grants)
        #expect(ann.grants == grants && ann.revision == 1 && !ann.hasSecondFactor && !ann.isDisabled)
        #expect(try await store.user(ann.name) == ann)
        #expect(try await store.users() == [ann])
        #expect(try await code { _ = try await make("ann", in: store, grants) } == .userExists)
        let absent = try #require(AppID("absent"))
        #expect(
            try await code { _ = try await make("bob", in: store, [Grant(.viewer, on: .app(absent))]) } == .appNotFound)
        #expect(try await store.users() == [ann])
        _ = try await begin(1, of: ann, in: store)
        let stale = IfMatchPrecondition.tags(["2"])
        #expect(
            try await code { _ = try await store.deleteUser(ann.id, ifMatch: stale, audit: Self.audit) }
                == .preconditionFailed)
        #expect(try await store.deleteUser(ann.id, ifMatch: nil, audit: Self.audit)?.grants == grants)
        #expect(try await store.users().isEmpty)
        #expect(try await store.sessions(of: nil).isEmpty)
        #expect(try await store.session(secretHash: Fixture.digest(1)) == nil)
        #expect(try await make("ann", in: store, grants).id != ann.id)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a session begins only with the password that was verified`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        let ann = try await make("ann", in: store, [Grant(.viewer, on: .everything)])
        #expect(try await begin(1, of: ann, in: store, verified: Self.other) == nil)
        let session = try #require(try await begin(2, of: ann, in: store))
        let found = try await store.session(secretHash: Fixture.digest(2))
        #expect(found?.session == session && found?.user.id == ann.id && found?.user.signedInAt == Fixture.start)
        let later = Fixture.start.adding(milliseconds: 5)
        try await store.recordSessionUses([session.id: later, 99: later])
        #expect(try await store.session(secretHash: Fixture.digest(2))?.session.usedAt == later)
        let change = UserChange(isDisabled: true, password: Self.other, ending: .all)
        _ = try await store.changeUser(ann.id, change, ifMatch: nil, audit: Self.audit)
        #expect(try await store.session(secretHash: Fixture.digest(2)) == nil)
        #expect(try await begin(3, of: ann, in: store, verified: Self.other) == nil)
        #expect(try await store.endSession(session.id, audit: Self.audit) == false)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `sessions that are over or too many end with the next one`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        let ann = try await make("ann", in: store, [Grant(.viewer, on: .everything)])
        for number in 1...Session.maximumPerUser + 1 { _ = try await begin(number, of: ann, in: store) }
        #expect(try await store.sessions(of: ann.id).count == Session.maximumPerUser)
        #expect(try await store.session(secretHash: Fixture.digest(1)) == nil)
        _ = try await begin(99, of: ann, in: store, at: Session.Lifetime.browser.idleMilliseconds)
        #expect(try await store.sessions(of: ann.id).count == 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `what a code changes is kept only with the session`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        let ann = try await make("ann", in: store, [Grant(.viewer, on: .everything)])
        let factor = SecondFactor(
            secret: [1, 2], isConfirmed: true, lastStep: 3, recovery: [try Fixture.digest(1), try Fixture.digest(2)])
        try await store.changeSecondFactor(of: ann.id, verified: nil, audit: Self.audit) { _ in factor }
        #expect(try await store.secrets(of: ann.name)?.secrets.secondFactor == factor)
        #expect(try await store.user(ann.name)?.hasSecondFactor == true)
        #expect(
            try await code {
                _ = try await begin(1, of: ann, in: store) { (factor) throws(PlatformError) in
                    factor.lastStep = 4
                    throw PlatformError(.unauthorized, "wrong")
                }
            } == .unauthorized)
        #expect(try await store.secrets(of: ann.name)?.secrets.secondFactor?.lastStep == 3)
        _ = try await begin(2, of: ann, in: store) { $0.lastStep = 5 }
        #expect(try await store.secrets(of: ann.name)?.secrets.secondFactor?.lastStep == 5)
        try await store.changeSecondFactor(of: ann.id, verified: nil, audit: Self.audit) { _ in nil }
        #expect(try await store.user(ann.name)?.hasSecondFactor == false)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a change that a former password permitted is refused`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        let ann = try await make("ann", in: store, [Grant(.viewer, on: .everything)])
        let known = try #require(try await store.secrets(of: ann.name)?.secrets.password)
        let newer = UserChange(password: Self.other, verified: known, ending: .none)
        _ = try await store.changeUser(ann.id, newer, ifMatch: nil, audit: Self.audit)
        let late = UserChange(password: known, verified: known, ending: .none)
        #expect(
            try await code { _ = try await store.changeUser(ann.id, late, ifMatch: nil, audit: Self.audit) }
                == .conflict)
        #expect(
            try await code {
                try await store.changeSecondFactor(of: ann.id, verified: known, audit: Self.audit) { _ in
                    SecondFactor(secret: [1])
                }
            } == .conflict)
        let secrets = try await store.secrets(of: ann.name)?.secrets
        #expect(secrets?.password == Self.other && secrets?.secondFactor == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `sessions are found by their ids, with their users`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        let (ann, bob) = (try await make("ann", in: store, []), try await make("bob", in: store, []))
        var ids: [Int64] = []
        for (number, user) in [ann, bob, ann].enumerated() {
            ids.append(try #require(try await begin(number + 1, of: user, in: store)).id)
        }
        let found = try await store.sessions([ids[0], ids[1], 99])
        #expect(found.map(\.session.id) == [ids[0], ids[1]] && found.map(\.user.id) == [ann.id, bob.id])
        #expect(try await store.sessions([]).isEmpty)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the last admin who never expires stays`(on database: DatabaseKind) async throws {
        let store = try database.empty()
        let ann = try await make("ann", in: store, [Grant(.admin, on: .everything)])
        let changes = [
            UserChange(isDisabled: true, ending: .all),
            UserChange(grants: [Grant(.releaser, on: .everything)], ending: .all),
        ]
        for change in changes {
            #expect(
                try await code {
                    _ = try await store.changeUser(ann.id, change, ifMatch: nil, audit: Self.audit)
                } == .conflict)
        }
        #expect(
            try await code { _ = try await store.deleteUser(ann.id, ifMatch: nil, audit: Self.audit) } == .conflict)
        #expect(try await store.user(ann.name) == ann)
        _ = try await store.createToken(
            name: "a", role: .admin, secretHash: Fixture.digest(1), audit: Fixture.audit("token.create", app: nil))
        _ = try await store.deleteUser(ann.id, ifMatch: nil, audit: Self.audit)
        #expect(try await store.users().isEmpty)
    }
}
