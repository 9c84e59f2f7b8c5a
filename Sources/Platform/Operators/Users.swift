package import Domain
import Ground

/// The use cases of users (decision 0080).
package struct Users: Sendable {
    private let store: any UserStore
    private let hasher: PasswordHasher
    private let cryptography: any Cryptography
    private let clock: any WallClock
    private let attempts: SignInGuard

    package init(
        store: any UserStore, hasher: PasswordHasher, cryptography: any Cryptography, clock: any WallClock,
        attempts: SignInGuard
    ) {
        self.store = store
        self.hasher = hasher
        self.cryptography = cryptography
        self.clock = clock
        self.attempts = attempts
    }

    /// A change by an admin; `nil` keeps a value.
    package struct Change: Sendable {
        package var grants: [Grant]?
        package var isDisabled: Bool?
        package var password: Password?
        package var removesSecondFactor: Bool

        package init(grants: [Grant]?, isDisabled: Bool?, password: Password?, removesSecondFactor: Bool) {
            self.grants = grants
            self.isDisabled = isDisabled
            self.password = password
            self.removesSecondFactor = removesSecondFactor
        }
    }

    package func users() async throws(PlatformError) -> [User] { try await store.users() }

    /// Returns the user, or throws `userNotFound`.
    package func requireUser(_ name: UserName) async throws(PlatformError) -> User {
        guard let user = try await store.user(name) else { throw Self.noUser(name.text) }
        return user
    }

    /// Creates a user; throws `userExists`, `busy`, and the errors of unknown scopes.
    package func create(
        _ name: UserName, grants: [Grant], password: Password, by author: Operator
    ) async throws(PlatformError) -> User {
        try author.requireLasting()
        let hash = try await hasher.hash(password, for: author.name)
        return try await store.createUser(
            name, grants: grants, password: hash,
            audit: author.audit(
                .createUser, name.text, in: nil, at: clock.now(), [Self.member(grants)],
                change: .created([.init("name", .string(name.text)), Self.member(grants)])))
    }

    /// Changes a user, whose sessions all end.
    ///
    /// Throws `userNotFound`, `preconditionFailed`, `conflict` if no admin without an expiry would remain, and `busy`.
    package func change(
        _ name: UserName, _ change: Change, ifMatch precondition: IfMatchPrecondition?, by author: Operator
    ) async throws(PlatformError) -> User {
        try author.requireLasting()
        let user = try await requireUser(name)
        if let provider = user.provider,
            change.grants != nil || change.password != nil || change.removesSecondFactor
        {
            throw PlatformError(
                .conflict,
                "The user '\(name)' signs in by the provider '\(provider)': groups decide on the grants, and the provider on "
                    + "password and second factor. Only 'disabled' can be changed here.")
        }
        var details: [JSON.Member] = []
        if let grants = change.grants { details.append(Self.member(grants)) }
        if let isDisabled = change.isDisabled { details.append(.init("disabled", .bool(isDisabled))) }
        if change.password != nil { details.append(.init("password", true)) }
        if change.removesSecondFactor { details.append(.init("totp", false)) }
        var stored = UserChange(grants: change.grants, isDisabled: change.isDisabled, ending: .all)
        if let password = change.password { stored.password = try await hasher.hash(password, for: author.name) }
        if change.removesSecondFactor { stored.secondFactor = .some(nil) }
        let changed = try await store.changeUser(
            user.id, stored, ifMatch: precondition,
            audit: author.audit(
                .changeUser, name.text, in: nil, at: clock.now(), details,
                change: .changed(from: user.auditMembers(), to: user.auditMembers(after: stored))))
        guard let changed else { throw Self.noUser(name.text) }
        return changed
    }

    /// Deletes a user with all sessions; throws `userNotFound`, `preconditionFailed` and `conflict`.
    package func delete(
        _ name: UserName, ifMatch precondition: IfMatchPrecondition?, by author: Operator
    ) async throws(PlatformError) -> User {
        let user = try await requireUser(name)
        let deleted = try await store.deleteUser(
            user.id, ifMatch: precondition,
            audit: author.audit(
                .deleteUser, name.text, in: nil, at: clock.now(), change: .removed(user.auditMembers())))
        guard let deleted else { throw Self.noUser(name.text) }
        return deleted
    }

    // MARK: By the user

    /// Replaces the author's own password; all other sessions of the user end.
    ///
    /// Throws `forbidden` if the current password is wrong, `rateLimited` after several of them, `conflict` if it was changed
    /// during the request, and `busy`.
    package func replacePassword(
        _ current: Password, with new: Password, by author: Operator
    ) async throws(PlatformError) {
        let (person, verified) = try await verify(current, of: author)
        let hash = try await hasher.hash(new, for: author.name)
        let change = UserChange(password: hash, verified: verified, ending: .allExcept(person.session))
        _ = try await store.changeUser(
            person.user, change, ifMatch: nil,
            audit: author.audit(.changePassword, person.name.text, in: nil, at: clock.now(), change: .none))
    }

    /// Returns the person who is signed in, and the stored hash of the password; throws `forbidden` if the password is wrong,
    /// `rateLimited` after several of them, `conflict` for a user of a provider, and `busy`.
    private func verify(
        _ password: Password, of author: Operator
    ) async throws(PlatformError) -> (person: Operator.Person, hash: PasswordHash) {
        let person = try author.requirePerson()
        // A guess with a stolen session counts like one at sign-in.
        let (key, group) = (person.name.text, "session \(person.session)")
        try attempts.begin(key, from: group)
        let hash: PasswordHash
        do throws(PlatformError) {
            guard let (found, secrets) = try await store.secrets(of: person.name) else {
                throw Self.noUser(person.name.text)
            }
            try Self.requireOwnPassword(found)
            guard try await hasher.verify(password, secrets.password, for: author.name) else {
                throw PlatformError(.forbidden, "The current password is wrong.")
            }
            hash = secrets.password
        } catch {
            // A failure of the server is no guess.
            if error.code != .forbidden { attempts.end(key, from: group, isSuccess: false) }
            throw error
        }
        attempts.end(key, from: group, isSuccess: true)
        return (person, hash)
    }

    /// Begins a second factor of the author, which is in force once it is confirmed.
    ///
    /// Throws `conflict` if there is one, and the errors of a wrong password as ``replacePassword(_:with:by:)`` does.
    package func beginSecondFactor(
        _ password: Password, by author: Operator
    ) async throws(PlatformError) -> SecondFactor {
        let (_, verified) = try await verify(password, of: author)
        let new = SecondFactor(secret: cryptography.randomBytes(SecondFactor.secretBytes))
        try await changeSecondFactor(as: .beginSecondFactor, verified: verified, by: author) {
            (factor) throws(PlatformError) in
            guard factor?.isConfirmed != true else {
                throw PlatformError(.conflict, "There is a second factor already. Remove it first.")
            }
            return new
        }
        return new
    }

    /// Puts the second factor that was begun in force, and returns its recovery codes.
    ///
    /// Throws `conflict` if none was begun, and `forbidden` for a wrong code.
    package func confirmSecondFactor(by code: String, _ author: Operator) async throws(PlatformError) -> [String] {
        let (codes, digests) = SecondFactor.makeRecovery(by: cryptography)
        let (now, cryptography) = (clock.now(), cryptography)
        try await changeSecondFactor(as: .confirmSecondFactor, by: author) { (factor) throws(PlatformError) in
            guard var factor, !factor.isConfirmed else {
                throw PlatformError(.conflict, "No second factor waits to be confirmed. Begin one first.")
            }
            guard factor.use(code, at: now, by: cryptography) else {
                throw PlatformError(
                    .forbidden, "The code is wrong. Check the clock of the device, and send its present six digits.")
            }
            factor.isConfirmed = true
            factor.recovery = digests
            return factor
        }
        return codes
    }

    /// Removes the author's second factor.
    package func removeSecondFactor(by author: Operator) async throws(PlatformError) {
        try author.requireBrowser(for: "remove the second factor")
        try await changeSecondFactor(as: .removeSecondFactor, by: author) { _ in nil }
    }

    /// Replaces the author's recovery codes, and returns the new ones.
    ///
    /// Throws `conflict` without a second factor, and the errors of a wrong password as ``replacePassword(_:with:by:)`` does.
    package func replaceRecoveryCodes(
        _ password: Password, by author: Operator
    ) async throws(PlatformError) -> [String] {
        let (_, verified) = try await verify(password, of: author)
        let (codes, digests) = SecondFactor.makeRecovery(by: cryptography)
        try await changeSecondFactor(as: .replaceRecoveryCodes, verified: verified, by: author) {
            (factor) throws(PlatformError) in
            guard var factor, factor.isConfirmed else {
                throw PlatformError(.conflict, "There is no second factor, so there are no recovery codes.")
            }
            factor.recovery = digests
            return factor
        }
        return codes
    }

    private func changeSecondFactor(
        as action: AuditAction, verified: PasswordHash? = nil, by author: Operator,
        _ change: @Sendable (SecondFactor?) throws(PlatformError) -> SecondFactor?
    ) async throws(PlatformError) {
        let person = try author.requirePerson()
        try Self.requireOwnPassword(try await requireUser(person.name))
        try await store.changeSecondFactor(
            of: person.user, verified: verified,
            audit: author.audit(action, person.name.text, in: nil, at: clock.now(), change: .none), by: change)
    }

    /// Throws `conflict` for a user whom a provider identifies.
    private static func requireOwnPassword(_ user: User) throws(PlatformError) {
        guard let provider = user.provider else { return }
        throw PlatformError(
            .conflict,
            "You sign in by the provider '\(provider)', which decides on your password and your second factor. Change them "
                + "there.")
    }

    private static func member(_ grants: [Grant]) -> JSON.Member {
        .init("grants", .array(grants.map { .object($0.members) }))
    }

    static func noUser(_ name: String) -> PlatformError {
        PlatformError(.userNotFound, "There is no user '\(ShownText.of(name.utf8))'.")
    }
}
