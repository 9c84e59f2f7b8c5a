package import Domain
import Execution
package import HTTP
import Synchronization

/// Fetches blobs that are not on the local disk, for requests.
///
/// Requests for one blob share a fetch. Clients are admitted in turn, so that a client that requests many blobs does
/// not delay the others.
package final class BlobFetcher: Sendable {
    private typealias Outcome = Result<OpenBlob?, PlatformError>

    /// The number of blobs that are fetched at a time: the threads of the pool.
    package static let width = 8
    /// The number of blobs that wait; past it, the newest one of the client with the most gets `busy`.
    static let capacity = 1024

    private let blobs: any BlobStore
    private let work: WorkExecutor
    private let gate = FairGate<PeerAddress>(width: width, capacity: capacity)
    /// The requests that wait for each blob that is being fetched.
    private let waiting = Mutex<[SHA256Digest: [CheckedContinuation<Outcome?, Never>]]>([:])

    init(blobs: any BlobStore, work: WorkExecutor) {
        self.blobs = blobs
        self.work = work
    }

    /// Opens a blob, and fetches it if it is not local; returns `nil` if there is none.
    package func open(_ digest: SHA256Digest, for head: RequestHead) async throws(PlatformError) -> OpenBlob? {
        switch try blobs.locate(digest) {
        case .open(let blob): return blob
        case .missing: return nil
        case .remote: break
        }
        let shared: Outcome? = await withCheckedContinuation { continuation in
            let isFirst = waiting.withLock { waiting in
                guard waiting[digest] != nil else {
                    waiting[digest] = []
                    return true
                }
                waiting[digest]?.append(continuation)
                return false
            }
            if isFirst { continuation.resume(returning: nil) }
        }
        if let shared { return try shared.get() }
        let outcome = await fetch(digest, for: head)
        let waiters = waiting.withLock { $0.removeValue(forKey: digest) } ?? []
        for waiter in waiters { waiter.resume(returning: outcome) }
        return try outcome.get()
    }

    private func fetch(_ digest: SHA256Digest, for head: RequestHead) async -> Outcome {
        let blobs = blobs
        do throws(PlatformError) {
            let found = try await gate.pass(as: head.client.customer) { () throws(PlatformError) in
                try await work.run { () throws(PlatformError) in try blobs.open(digest) }
            }
            guard let found else {
                throw PlatformError(.busy, "Too many requests for files are waiting. Try again in a moment.")
            }
            return .success(found)
        } catch {
            return .failure(error)
        }
    }
}
