import Domain
import Synchronization

/// The blobs that stagings hold, and those that are about to be removed; never both.
///
/// A removal condemns a blob, then checks whether metadata refer to it, then removes it if it is still condemned. A
/// publishing claims a blob, then checks whether it exists, and releases it once metadata refer to it. If both concern
/// the same blob, either the publishing finds it missing and stores it again, or the removal leaves it.
final class BlobClaims: Sendable {
    private let state = Mutex(State())

    private struct State {
        /// The number of stagings that hold each blob.
        var holders: [SHA256Digest: Int] = [:]
        var condemned: Set<SHA256Digest> = []
    }

    /// Holds a blob, which is then no longer condemned.
    func claim(_ digest: SHA256Digest) {
        state.withLock { state in
            state.holders[digest, default: 0] += 1
            state.condemned.remove(digest)
        }
    }

    /// Releases blobs that were claimed once each.
    func release(_ digests: Set<SHA256Digest>) {
        state.withLock { state in
            for digest in digests {
                let left = (state.holders[digest] ?? 1) - 1
                state.holders[digest] = left > 0 ? left : nil
            }
        }
    }

    /// Condemns the blobs that no staging holds, and returns them.
    func condemn(_ digests: Set<SHA256Digest>) -> Set<SHA256Digest> {
        state.withLock { state in
            let free = digests.filter { state.holders[$0] == nil }
            state.condemned.formUnion(free)
            return free
        }
    }

    /// Returns whether a blob is condemned, and ends that.
    func takeCondemned(_ digest: SHA256Digest) -> Bool {
        state.withLock { $0.condemned.remove(digest) != nil }
    }

    /// Runs `body` while no staging can claim the blob if it is condemned; returns whether it was.
    func ifCondemned(_ digest: SHA256Digest, _ body: () throws -> Void) throws -> Bool {
        try state.withLock { state in
            guard state.condemned.remove(digest) != nil else { return false }
            try body()
            return true
        }
    }
}
