package import Domain
import Execution
import Ground
import Synchronization

/// The use cases of signing in and of sessions (decision 0080).
package final class Sessions: Sendable {
    private let store: any UserStore
    private let hasher: PasswordHasher
    private let cryptography: any Cryptography
    private let clock: any WallClock
    private let attempts: SignInGuard
    /// The latest uses of sessions that are not stored yet.
    private let uses = Mutex<[Int64: Timestamp]>([:])

    /// The number of sessions whose use is noted between two writes; uses of further ones are not stored.
    private static let notedUses = 1024
    /// The time between two writes of uses, within which further uses of a session are not noted.
    private static let useMilliseconds: Int64 = 60_000

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

    /// A session that has begun, with its secret, which is not stored.
    package struct SignedIn: Sendable {
        package let session: Session
        package let user: User
        package let secret: String
    }

    /// Signs a user in by password and, if the user has a second factor, a code.
    ///
    /// Throws `unauthorized` for a wrong user, password or code alike, after the same time; `codeRequired` if the password
    /// is right and the code is missing; `rateLimited` after failures from the address, and `busy`.
    ///
    /// - Parameters:
    ///   - group: The addresses that count as one.
    ///   - address: The client's address, which the audit log records.
    package func signIn(
        _ name: String, password: Password, code: String?, from group: String, at address: String
    ) async throws(PlatformError) -> SignedIn {
        // Names that no user can have count as one, so that the entries of the table have a bounded size.
        let key = UserName(name)?.text ?? ""
        try attempts.begin(key, from: group)
        do throws(PlatformError) {
            let signedIn = try await signIn(name, password, code, from: group, at: address)
            attempts.end(key, from: group, isSuccess: true)
            if code != nil { attempts.endCodes(of: key) }
            return signedIn
        } catch {
            // A failure of the server, or a password that was right, is no guess.
            if error.code != .unauthorized { attempts.end(key, from: group, isSuccess: false) }
            throw error
        }
    }

    private func signIn(
        _ name: String, _ password: Password, _ code: String?, from group: String, at address: String
    ) async throws(PlatformError) -> SignedIn {
        var found: (user: User, secrets: UserSecrets)?
        if let name = UserName(name) { found = try await store.secrets(of: name) }
        let isRight = try await hasher.verify(password, found?.secrets.password, for: group)
        guard isRight, let (user, secrets) = found, !user.isDisabled else { throw Self.refusal }
        if code != nil, user.hasSecondFactor { try attempts.beginCode(of: user.name.text) }
        var upgraded: PasswordHash?
        if secrets.password.cost != hasher.cost { upgraded = try await hasher.hash(password, for: group) }
        let secret = Hex.encode(cryptography.randomBytes(32))
        let (now, cryptography) = (clock.now(), cryptography)
        let author = Operator(user: user, session: nil).at(address)
        let session = try await store.beginSession(
            of: user.id, secretHash: hash(secret), address: address, verified: secrets.password, upgraded: upgraded,
            audit: author.audit(.beginSession, user.name.text, in: nil, at: now, change: .none)
        ) { (factor: inout SecondFactor) throws(PlatformError) in
            guard let code else {
                throw PlatformError(
                    .codeRequired,
                    "The user has a second factor. Send 'code' as well: the six digits of the authenticator app, or a recovery "
                        + "code.")
            }
            guard factor.use(code, at: now, by: cryptography) else { throw Self.refusal }
        }
        guard let session else { throw Self.refusal }
        return SignedIn(session: session, user: user, secret: secret)
    }

    private static let refusal = PlatformError(
        .unauthorized, "The user, the password or the code is wrong. A code works once and for about a minute.")

    /// Returns the operator of a session's secret; `nil` if there is no such session or it is over.
    ///
    /// - Parameter isBrowser: Whether the secret came in a cookie, where a command line does not send it.
    package func authenticate(_ secret: String, isBrowser: Bool) async throws(PlatformError) -> Operator? {
        let now = clock.now()
        guard let (session, user) = try await store.session(secretHash: hash(secret)), !user.isDisabled,
            session.isValid(at: now), (session.machine == nil) == isBrowser
        else { return nil }
        if now.milliseconds - session.usedAt.milliseconds >= Self.useMilliseconds {
            uses.withLock { uses in
                guard uses[session.id] != nil || uses.count < Self.notedUses else { return }
                uses[session.id] = now
            }
        }
        return Operator(user: user, session: session)
    }

    /// Returns the valid sessions of a user.
    package func sessions(of user: UserID) async throws(PlatformError) -> [Session] {
        let now = clock.now()
        return try await store.sessions(of: user).filter { $0.isValid(at: now) }
    }

    /// Returns the user with a name; throws `userNotFound`.
    package func requireUser(_ name: UserName) async throws(PlatformError) -> User {
        guard let user = try await store.user(name) else { throw Users.noUser(name.text) }
        return user
    }

    /// Ends a session of the author, or any one if the author is an admin of everything; throws `sessionNotFound`.
    package func end(_ id: Int64, by author: Operator) async throws(PlatformError) {
        let user: UserID? = author.has(.admin, on: .everything) ? nil : try author.requirePerson().user
        let mine = try await store.sessions(of: user)
        guard mine.contains(where: { $0.id == id }),
            try await store.endSession(
                id, audit: author.audit(.endSession, "#\(id)", in: nil, at: clock.now(), change: .none))
        else { throw PlatformError(.sessionNotFound, "There is no session #\(id).") }
    }

    private func hash(_ secret: String) -> SHA256Digest { cryptography.sha256(Array(secret.utf8)) }

    // MARK: Uses

    /// Stores the uses of sessions every minute until cancelled, and at the end.
    package func runUses(report: @Sendable (PlatformError) -> Void) async {
        while !Task.isCancelled {
            await AsyncFlag().wait(upTo: .milliseconds(Self.useMilliseconds))
            do throws(PlatformError) { try await storeUses() } catch { report(error) }
        }
    }

    /// Stores the noted uses; after a failure they are lost, so that sessions may end a minute earlier.
    package func storeUses() async throws(PlatformError) {
        let noted = uses.withLock { uses in
            defer { uses.removeAll() }
            return uses
        }
        if !noted.isEmpty { try await store.recordSessionUses(noted) }
    }
}
