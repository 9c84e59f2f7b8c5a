package import Domain
import Ground
import Synchronization

/// The authority that creates and verifies tokens.
///
/// It shows a secret once and stores its SHA-256.
package final class TokenAuthority: Sendable {
    private let store: any TokenStore
    private let cryptography: any Cryptography
    private let clock: any WallClock
    private let known = Mutex(Known())

    private struct Known {
        var tokens: [SHA256Digest: Token] = [:]
        /// The number of revocations: a token that was read before a revocation is not cached after it.
        var revocations = 0
        /// The number of revoked tokens in the store, and the instant as of which it is known.
        var stored: (revoked: Int64, instant: ContinuousClock.Instant)?
    }

    /// The time for which cached tokens are valid after the store was read, if other nodes can revoke them.
    static let trust: Duration = .seconds(5)

    /// The number of tokens cached between requests; a full cache is emptied.
    private static let rememberedTokens = 1024

    private let isShared: Bool
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - isShared: Whether other nodes revoke tokens as well; see ``follow(revocations:asOf:)``.
    ///   - now: A clock that never jumps.
    package init(
        store: any TokenStore, cryptography: any Cryptography, clock: any WallClock,
        isShared: Bool = false, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.isShared = isShared
        self.now = now
        self.store = store
        self.cryptography = cryptography
        self.clock = clock
    }

    /// Returns the operator of a secret; `nil` if the secret is unknown or revoked.
    ///
    /// The digest of a random secret is compared, so that the time taken reveals nothing about the secret.
    package func authenticate(_ secret: String) async throws(PlatformError) -> Operator? {
        let digest = cryptography.sha256(Array(secret.utf8))
        let (remembered, revocations) = known.withLock { known in
            (isCurrent(known) ? known.tokens[digest] : nil, known.revocations)
        }
        if let remembered { return Operator(token: remembered) }
        guard let token = try await store.token(secretHash: digest) else { return nil }
        known.withLock { known in
            guard known.revocations == revocations else { return }
            if known.tokens.count >= Self.rememberedTokens { known.tokens.removeAll() }
            known.tokens[digest] = token
        }
        return Operator(token: token)
    }

    /// Notes the number of revoked tokens in the store: cached tokens are valid for a while, unless one was revoked.
    ///
    /// - Parameter instant: An instant before the number was read.
    package func follow(revocations: Int64, asOf instant: ContinuousClock.Instant) {
        known.withLock { known in
            if known.stored?.revoked != revocations {
                known.tokens.removeAll()
                known.revocations += 1
            }
            known.stored = (revocations, instant)
        }
    }

    /// Whether no other node can have revoked a cached token unnoticed.
    private func isCurrent(_ known: borrowing Known) -> Bool {
        guard isShared else { return true }
        guard let stored = known.stored else { return false }
        return now() - stored.instant < Self.trust
    }

    /// Creates a token and returns its secret, which is not stored.
    package func create(
        name: String, role: Role, by author: Operator
    ) async throws(PlatformError) -> (token: Token, secret: String) {
        let secret = makeSecret()
        return (try await register(secret, name: name, role: role, by: author), secret)
    }

    /// Returns a new secret, which is invalid until it is registered.
    package func makeSecret() -> String {
        "larder_" + Hex.encode(cryptography.randomBytes(32))
    }

    /// Registers a secret of ``makeSecret()`` with a role.
    package func register(
        _ secret: String, name: String, role: Role, by author: Operator
    ) async throws(PlatformError) -> Token {
        // Filtered by scalars: as a `Character`, CR LF equals neither.
        let removed: Set<Unicode.Scalar> = ["\n", "\r", "\0"]
        let name = String(String.UnicodeScalarView(name.unicodeScalars.filter { !removed.contains($0) }))
        guard !name.isEmpty, name.utf8.count <= Token.maximumNameLength else {
            throw PlatformError(
                .invalidRequest, "A token requires a name of 1 to \(Token.maximumNameLength) bytes that identifies it.")
        }
        let audit = author.audit(
            .createToken, name, in: nil, at: clock.now(), [.init("role", .string(role.rawValue))],
            change: .created([.init("name", .string(name)), .init("role", .string(role.rawValue))]))
        return try await store.createToken(
            name: name, role: role, secretHash: cryptography.sha256(Array(secret.utf8)), audit: audit)
    }

    package func tokens() async throws(PlatformError) -> [Token] {
        try await store.tokens()
    }

    /// Revokes a token permanently, from the next request on.
    package func revoke(_ id: Int64, by author: Operator) async throws(PlatformError) -> Token {
        let now = clock.now()
        let audit = author.audit(
            .revokeToken, "#\(id)", in: nil, at: now,
            change: .changed(
                from: [.init("revokedAt", .null)], to: [.init("revokedAt", .string(now.rfc3339))]))
        let revoked: Token?
        do throws(PlatformError) {
            revoked = try await store.revokeToken(id, audit: audit)
        } catch {
            if error.mayHaveCommitted { forgetTokens() }
            throw error
        }
        guard let revoked else { throw PlatformError(.tokenNotFound, "There is no token #\(id).") }
        forgetTokens()
        return revoked
    }

    /// Empties the cache, also of tokens that are being read.
    private func forgetTokens() {
        known.withLock { known in
            known.tokens.removeAll()
            known.revocations += 1
        }
    }
}
