import Domain
import Ground
import Store
import Synchronization
import TestKit

/// A store whose blobs are elsewhere until they are opened.
final class DistantBlobs: BlobStore {
    private let base: DiskBlobStore
    private let state = Mutex(State())

    private struct State {
        var fetched: Set<SHA256Digest> = []
        var fetches = 0
        var descriptions = 0
        var failure: PlatformError?
        var isDistant = false
        /// The gate that holds the fetches of missing blobs.
        var gate: Gate?
        /// The beginning of the links.
        var linkBase: String?
        var links = 0
    }

    init(_ base: DiskBlobStore) { self.base = base }

    var fetches: Int { state.withLock { $0.fetches } }

    /// The number of blobs that were described without being fetched.
    var descriptions: Int { state.withLock { $0.descriptions } }

    /// Makes every blob distant again.
    func forget(failure: PlatformError? = nil) {
        state.withLock { $0 = State(failure: failure, isDistant: true) }
    }

    /// Holds the fetches of missing blobs until ``release()``.
    func hold() { state.withLock { $0.gate = Gate() } }

    func release() {
        let gate = state.withLock { $0.gate.take() }
        gate?.open()
    }

    /// Gives links from now on; each has a number of its own.
    func link(from base: String?) { state.withLock { $0.linkBase = base } }

    func locate(_ digest: SHA256Digest) throws(PlatformError) -> BlobLocation {
        let isLocal = state.withLock { !$0.isDistant || $0.fetched.contains(digest) }
        return isLocal ? try base.locate(digest) : .remote
    }

    func open(_ digest: SHA256Digest) throws(PlatformError) -> OpenBlob? {
        let (failure, gate) = state.withLock { state in
            state.fetches += 1
            if state.failure == nil { state.fetched.insert(digest) }
            return (state.failure, state.gate)
        }
        if let failure { throw failure }
        let blob = try base.open(digest)
        if blob == nil { gate?.pass() }
        return blob
    }

    func describe(_ digest: SHA256Digest) throws(PlatformError) -> BlobFacts? {
        let failure = state.withLock { state in
            state.descriptions += 1
            return state.failure
        }
        if let failure { throw failure }
        return try base.open(digest).map { BlobFacts(size: $0.size, storedAt: $0.storedAt) }
    }

    var hasLinks: Bool { state.withLock { $0.linkBase != nil } }

    func link(to digest: SHA256Digest, _ heading: BlobLink.Heading) -> String? {
        state.withLock { state in
            state.links += 1
            return state.linkBase.map { "\($0)/\(digest.hex)?type=\(heading.contentType)&n=\(state.links)" }
        }
    }

    func stage() throws(PlatformError) -> any BlobStaging { try base.stage() }
    func sweep(keeping known: Set<SHA256Digest>) throws(PlatformError) -> Int { try base.sweep(keeping: known) }
    func condemn(_ digests: Set<SHA256Digest>) -> Set<SHA256Digest> { base.condemn(digests) }
    func permitRemoval(at now: Timestamp) throws(PlatformError) -> RemovalPermit? { try base.permitRemoval(at: now) }
    func removeCondemned(_ digests: Set<SHA256Digest>) throws(PlatformError) -> Int {
        try base.removeCondemned(digests)
    }
    var figures: BlobStoreFigures? {
        BlobStoreFigures(
            hits: 1, misses: 2, fills: 3, evictions: 4, cachedBytes: 5, cachedFiles: 6, requests: 7, failures: 8)
    }
}
