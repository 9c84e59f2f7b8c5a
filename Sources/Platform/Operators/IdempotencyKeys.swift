package import Domain
import Synchronization

/// The keeper of the keys by which clients send requests again without a second change (decision 0078).
///
/// The audit entry of a change claims the key in the transaction of the change, so two requests with one key cannot
/// both make it, on whatever nodes and after whatever crash.
package final class IdempotencyKeys: Sendable {
    /// The two kinds of requests with a key.
    package enum Beginning: Sendable {
        /// The first one, which is to be carried out; ``end(_:)`` follows.
        case first(RequestClaim)
        case retry(RequestRecord)
    }

    private struct Name: Hashable {
        let holder: Principal
        let key: IdempotencyKey
    }

    private let store: any IdempotencyKeyStore
    private let cryptography: any Cryptography
    private let clock: any WallClock
    private let inProgress = Mutex<Set<Name>>([])

    package init(store: any IdempotencyKeyStore, cryptography: any Cryptography, clock: any WallClock) {
        self.store = store
        self.cryptography = cryptography
        self.clock = clock
    }

    /// Begins a request; throws `idempotencyKeyInUse` while another one with the key is in progress.
    package func begin(_ key: IdempotencyKey, by holder: Principal) async throws(PlatformError) -> Beginning {
        let name = Name(holder: holder, key: key)
        guard inProgress.withLock({ $0.insert(name).inserted }) else { throw .idempotencyKeyInUse }
        let claim = RequestClaim(
            holder: holder, key: key, request: cryptography.randomBytes(RequestClaim.requestBytes))
        do throws(PlatformError) {
            guard let record = try await store.requestRecord(of: key, by: holder, at: clock.now()) else {
                return .first(claim)
            }
            end(claim)
            return .retry(record)
        } catch {
            end(claim)
            throw error
        }
    }

    /// Records the response of a first request; `nil` if it is not to be kept.
    package func finish(
        _ claim: RequestClaim, fingerprint: SHA256Digest, response: KeptResponse?
    ) async throws(PlatformError) {
        try await store.finishRequest(claim, fingerprint: fingerprint, response: response)
    }

    /// Ends a first request, whatever its outcome.
    package func end(_ claim: RequestClaim) {
        inProgress.withLock { _ = $0.remove(Name(holder: claim.holder, key: claim.key)) }
    }
}
