package import Domain
import Execution
import Ground
import Synchronization

/// The authority that creates and verifies tokens.
///
/// It shows a secret once and stores its SHA-256.
package final class TokenAuthority: Sendable {
    let store: any TokenStore & CITrustStore
    let cryptography: any Cryptography
    let clock: any WallClock
    private let known = Mutex(Known())

    private struct Known {
        var tokens: [SHA256Digest: FoundToken] = [:]
        /// The number of changes to tokens: a token that was read before a change is not cached after it.
        var changes = 0
        /// The number of changes to tokens in the store, and the instant as of which it is known.
        var stored: (changes: Int64, instant: ContinuousClock.Instant)?
        /// The latest uses that are not stored yet.
        var uses: [Int64: Timestamp] = [:]
    }

    /// The time for which cached tokens are valid after the store was read, if other nodes can change them.
    static let trust: Duration = .seconds(5)

    /// The number of tokens cached between requests; a full cache is emptied.
    private static let rememberedTokens = 1024
    /// The number of tokens whose use is noted between two writes; uses of further ones are not stored.
    static let notedUses = 1024
    /// The time between two writes of uses.
    private static let useInterval: Duration = .milliseconds(Token.useInterval)

    private let isShared: Bool
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - isShared: Whether other nodes change tokens as well; see ``follow(changes:asOf:)``.
    ///   - now: A clock that never jumps.
    package init(
        store: any TokenStore & CITrustStore, cryptography: any Cryptography, clock: any WallClock,
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
    /// The digest of a random secret is compared, so that the time taken reveals nothing about the secret. Throws
    /// `unauthorized` if the token has expired, or if the secret is a former one whose time is over.
    package func authenticate(_ secret: String) async throws(PlatformError) -> Operator? {
        let digest = cryptography.sha256(Array(secret.utf8))
        let (remembered, changes) = known.withLock { known in
            (isCurrent(known) ? known.tokens[digest] : nil, known.changes)
        }
        if let remembered { return try accept(remembered) }
        guard let found = try await store.token(secretHash: digest) else { return nil }
        known.withLock { known in
            guard known.changes == changes else { return }
            if known.tokens.count >= Self.rememberedTokens { known.tokens.removeAll() }
            known.tokens[digest] = found
        }
        return try accept(found)
    }

    /// Returns the operator of a token whose secret is right, and notes the use.
    private func accept(_ found: FoundToken) throws(PlatformError) -> Operator {
        let (token, time) = (found.token, clock.now())
        if let expiry = token.expiresAt, expiry <= time {
            throw PlatformError(
                .unauthorized,
                "The token '\(ShownText.of(token.name.utf8))' (#\(token.id)) expired at \(expiry.rfc3339). Ask an admin for "
                    + "another token or a later expiry.")
        }
        if let end = found.secretEnd, end <= time {
            throw PlatformError(
                .unauthorized,
                "This secret of the token '\(ShownText.of(token.name.utf8))' (#\(token.id)) was replaced and ended at "
                    + "\(end.rfc3339). Use the new secret.")
        }
        known.withLock { known in
            guard known.uses[token.id] != nil || known.uses.count < Self.notedUses else { return }
            known.uses[token.id] = time
        }
        return Operator(found)
    }

    /// Notes the number of changes to tokens in the store: cached tokens are valid for a while, unless one was changed.
    ///
    /// - Parameter instant: An instant before the number was read.
    package func follow(changes: Int64, asOf instant: ContinuousClock.Instant) {
        known.withLock { known in
            if known.stored?.changes != changes {
                known.tokens.removeAll()
                known.changes += 1
            }
            known.stored = (changes, instant)
        }
    }

    /// Whether no other node can have changed a cached token unnoticed.
    private func isCurrent(_ known: borrowing Known) -> Bool {
        guard isShared else { return true }
        guard let stored = known.stored else { return false }
        return now() - stored.instant < Self.trust
    }

    /// Empties the cache, also of tokens that are being read.
    func forgetTokens() {
        known.withLock { known in
            known.tokens.removeAll()
            known.changes += 1
        }
    }

    // MARK: Uses

    /// Stores the uses of tokens every minute until cancelled, and at the end.
    ///
    /// The uses of the last minute before a crash are lost.
    package func runUses(report: @Sendable (PlatformError) -> Void) async {
        while !Task.isCancelled {
            await AsyncFlag().wait(upTo: Self.useInterval)
            do throws(PlatformError) { try await storeUses() } catch { report(error) }
        }
    }

    /// Stores the noted uses; after a failure they are noted again.
    package func storeUses() async throws(PlatformError) {
        let uses = known.withLock { known in
            defer { known.uses.removeAll() }
            return known.uses
        }
        guard !uses.isEmpty else { return }
        do throws(PlatformError) { try await store.recordUses(uses) } catch {
            known.withLock { known in
                for (token, time) in uses where known.uses[token] == nil && known.uses.count < Self.notedUses {
                    known.uses[token] = time
                }
            }
            throw error
        }
    }
}
