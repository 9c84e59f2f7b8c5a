import Artifacts
import Domain
import Ground
import Store
import TestKit
import Testing

/// Tests the stored sign-in providers, the attempts to sign in, and the users whom providers identify.
@Suite(.scratchDirectory, .databases)
struct SignInProviderStoreTests {
    private static func provider(_ name: String, grants: [Grant]) throws -> SignInProvider {
        SignInProvider(
            name: try #require(SignInProviderName(name)), issuer: "https://\(name).example", label: name,
            clientID: "larder", scopes: ["openid"], userClaim: "preferred_username", groupsClaim: "groups",
            groups: [
                try #require(GroupGrants(group: "b", grants: grants)),
                try #require(GroupGrants(group: "a", grants: [Grant(.viewer, on: .everything)])),
            ])
    }

    private static func secret(_ text: String) throws -> ClientSecret { try #require(ClientSecret(text)) }

    private static let grants = [Grant(.releaser, on: .app(Fixture.app)), Grant(.viewer, on: .everything)]

    private func digest(_ number: UInt8) throws -> SHA256Digest {
        try #require(SHA256Digest(hex: Hex.encode([UInt8](repeating: number, count: 32))))
    }

    private func attempt(
        _ number: UInt8, _ provider: SignInProviderName, from group: String = "203.0.113.1", at time: Timestamp
    ) throws -> SignInAttempt {
        SignInAttempt(
            stateHash: try digest(number), browserHash: try digest(number ^ 0xFF), provider: provider,
            destination: .console, addressGroup: group, createdAt: time)
    }

    private func open(
        _ current: MarkingSealer?, was previous: MarkingSealer? = nil, in location: Database.Location
    ) throws -> SQLStore {
        try SQLStore(opening: location, keys: KeyProtection(current: current, previous: previous))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a provider is stored with its groups in order, and its secret sealed`(on kind: DatabaseKind) async throws {
        let location = try kind.location().shared
        let store = try open(nil, in: location)
        _ = try await store.createApp(Fixture.app, keys: [], audit: Fixture.audit("app.create"))
        let (provider, secret) = (try Self.provider("acme", grants: Self.grants), try Self.secret("larder-test-secret"))
        let (stored, _) = try await store.putSignInProvider(
            provider, secret, over: nil, audit: Fixture.audit("sign-in-provider.put", app: nil))
        #expect(try await store.signInProviders() == [stored] && stored.provider == provider && stored.revision == 1)
        func isSealed() throws -> Bool? { try Database(location).value("SELECT sealed FROM sign_in_providers") }
        #expect(try isSealed() == false)
        let sealed = try open(MarkingSealer(1), in: location)
        #expect(try isSealed() == true && sealed.keySealing.sealed == 1)
        #expect(try await sealed.signInProviders() == [stored])
        let wrong = #expect(throws: PlatformError.self) { try open(MarkingSealer(2), in: location) }
        #expect(wrong?.message.contains("the client secret of the sign-in provider 'acme'") == true)
        #expect(throws: PlatformError.self) { try open(nil, in: location) }
        let renewed = try open(MarkingSealer(2), was: MarkingSealer(1), in: location)
        #expect(try await renewed.signInProviders() == [stored])
        let stale = await #expect(throws: PlatformError.self) {
            try await renewed.removeSignInProvider(
                StoredSignInProvider(provider: provider, secret: secret, revision: 2),
                audit: Fixture.audit("x", app: nil))
        }
        #expect(stale?.code == .busy)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the oldest attempts are removed beyond the limits, and old ones`(on kind: DatabaseKind) async throws {
        let location = try kind.location().shared
        let store = try open(nil, in: location)
        let name = try await put(store)
        let database = try Database(location)
        // The rows but one of the limit, each from another address.
        let zeros = String(repeating: "0", count: 64)
        let value: (Int) -> String = { number in
            let hex = String(number, radix: 16)
            let digits = zeros.dropLast(hex.count) + hex
            return kind == .sqlite ? "x'\(digits)'" : "'\\x\(digits)'::bytea"
        }
        let times = (0..<SignInAttempt.maximumCount).map { number in
            "(\(value(number)), \(value(0)), 'acme', '/console/', 'a\(number)', \(Fixture.start.milliseconds + Int64(number)))"
        }
        try database.executeScript("INSERT INTO sign_in_attempts VALUES \(times.joined(separator: ","))")
        func count() throws -> Int? { try database.value("SELECT count(*) FROM sign_in_attempts") }
        let now = Fixture.start.adding(milliseconds: 20_000)
        try await store.addSignInAttempt(try attempt(0xAB, name, at: now))
        #expect(try count() == SignInAttempt.maximumCount)
        let oldest: Int? = try database.value("SELECT count(*) FROM sign_in_attempts WHERE address_group = 'a0'")
        #expect(oldest == 0)
        let end = now.adding(milliseconds: SignInAttempt.lifetimeMilliseconds)
        #expect(try await take(0xAB, name, store, at: end) == nil)
        #expect(try await take(0xAB, name, store, at: end.adding(milliseconds: -1)) != nil)
        #expect(try await take(0xAB, name, store, at: now) == nil)
        try await store.addSignInAttempt(try attempt(0xAC, name, at: end))
        #expect(try count() == 1)
    }

    @Test(arguments: DatabaseKind.allCases, [true, false])
    func `another issuer or client ends the open attempts, another label does not`(
        on kind: DatabaseKind, isIssuer: Bool
    ) async throws {
        let store = try open(nil, in: kind.location().shared)
        let name = try await put(store)
        var known = try #require(try await store.signInProvider(name))
        func change(issuer: String, client: String, label: String) async throws {
            let old = known.provider
            let provider = SignInProvider(
                name: name, issuer: issuer, label: label, clientID: client, scopes: old.scopes,
                userClaim: old.userClaim, groupsClaim: old.groupsClaim, groups: old.groups)
            known = try await store.putSignInProvider(
                provider, Self.secret("s"), over: known, audit: Fixture.audit("x", app: nil)
            ).stored
        }
        try await store.addSignInAttempt(try attempt(1, name, at: Fixture.start))
        try await store.addSignInAttempt(try attempt(2, name, at: Fixture.start))
        try await change(issuer: known.provider.issuer, client: "larder", label: "Other")
        #expect(try await take(1, name, store, at: Fixture.start) != nil)
        try await change(
            issuer: isIssuer ? "https://other.example" : known.provider.issuer, client: isIssuer ? "larder" : "other",
            label: "Other")
        #expect(try await take(2, name, store, at: Fixture.start) == nil)
    }

    private func take(
        _ number: UInt8, _ name: SignInProviderName, _ store: SQLStore, at now: Timestamp
    ) async throws -> SignInAttempt? {
        try await store.takeSignInAttempt(
            stateHash: try digest(number), browserHash: try digest(number ^ 0xFF), of: name, at: now)
    }

    private func put(_ store: SQLStore) async throws -> SignInProviderName {
        let provider = try Self.provider("acme", grants: [Grant(.viewer, on: .everything)])
        _ = try await store.putSignInProvider(
            provider, Self.secret("s"), over: nil, audit: Fixture.audit("x", app: nil))
        return provider.name
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a person is one user, by issuer and subject`(on kind: DatabaseKind) async throws {
        let store = try open(nil, in: kind.location().shared)
        let name = try await put(store)
        let known = try #require(try await store.signInProvider(name))
        let placeholder = PasswordHash(placeholderOf: .standard, by: OpenSSLCryptography())
        func begin(_ subject: String, _ user: String, _ secret: UInt8) async throws -> ProvidedUser {
            let seen = Shared<ProvidedUser?>(nil)
            let person = IdentifiedPerson(
                subject: subject, name: try #require(UserName(user)), grants: [Grant(.viewer, on: .everything)])
            _ = try await store.beginSession(
                of: person, by: known, placeholder: placeholder, secretHash: try digest(secret), address: "a",
                at: Fixture.start
            ) { provided in
                seen.change { $0 = provided }
                return [Fixture.audit("session.begin", app: nil)]
            }
            return try #require(seen.value)
        }
        let first = try await begin("one", "ann", 1)
        #expect(first.formerGrants == nil && first.user.provider == name)
        let again = try await begin("one", "anna", 2)
        #expect(again.user.id == first.user.id && again.user.name.text == "ann" && again.formerGrants != nil)
        let other = await #expect(throws: PlatformError.self) { try await begin("two", "ann", 3) }
        #expect(other?.code == .userExists)
        #expect(try await store.sessions(of: nil).count == 2)
        let ended = try await store.removeSignInProvider(known, audit: Fixture.audit("x", app: nil))
        #expect(ended == [first.user.id])
        #expect(try await store.sessions(of: nil).isEmpty)
        let late = await #expect(throws: PlatformError.self) { try await begin("one", "ann", 4) }
        #expect(late?.code == .busy)
    }
}
