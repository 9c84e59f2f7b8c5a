import Domain
import Synchronization

/// Which blobs stagings hold, and which are about to be removed; never both.
///
/// Whoever removes a blob condemns it, then looks whether metadata refer to it, then removes it if it is still
/// condemned. Whoever publishes one claims it, then looks whether it is there, and lets go when metadata refer to it.
/// So of a publishing and a removal of the same blob either the publishing finds it gone, and stores it again, or the
/// removal leaves it.
final class BlobClaims: Sendable {
    private let state = Mutex(State())

    private struct State {
        /// By how many stagings each is held.
        var holders: [SHA256Digest: Int] = [:]
        var condemned: Set<SHA256Digest> = []
    }

    /// Holds a blob, which takes it from the condemned.
    func claim(_ digest: SHA256Digest) {
        state.withLock { state in
            state.holders[digest, default: 0] += 1
            state.condemned.remove(digest)
        }
    }

    /// Lets go of blobs that were claimed once each.
    func release(_ digests: Set<SHA256Digest>) {
        state.withLock { state in
            for digest in digests {
                let left = (state.holders[digest] ?? 1) - 1
                state.holders[digest] = left > 0 ? left : nil
            }
        }
    }

    /// Condemns those that nobody holds, and gives them.
    func condemn(_ digests: Set<SHA256Digest>) -> Set<SHA256Digest> {
        state.withLock { state in
            let free = digests.filter { state.holders[$0] == nil }
            state.condemned.formUnion(free)
            return free
        }
    }

    /// Runs `body` if the blob is condemned, and nobody can claim it meanwhile; whether it was.
    func ifCondemned(_ digest: SHA256Digest, _ body: () throws -> Void) throws -> Bool {
        try state.withLock { state in
            guard state.condemned.remove(digest) != nil else { return false }
            try body()
            return true
        }
    }
}
