package import Domain
import Execution
package import HTTP

/// Fetches blobs that are not on the local disk, for requests.
///
/// Requests for one blob share a fetch. Clients are admitted round robin, and one client has a limited number of fetches
/// at a time, so that a client that requests many blobs does not delay the others.
package final class BlobFetcher: Sendable {
    private typealias Outcome = Result<Found?, PlatformError>

    /// A request to the store.
    private enum Lookup: Hashable {
        case open(SHA256Digest)
        case describe(SHA256Digest)
    }

    private enum Found {
        case blob(OpenBlob)
        case facts(BlobFacts)
    }

    /// The number of blobs that are fetched at a time: the threads of the pool.
    package static let width = 8
    /// The number of blobs that are fetched at a time for one client; the others stay free for other clients.
    static let widthOfClient = 6
    /// The number of positions in the queue, one for each client and blob; past it, the newest one of the client with
    /// the most gets `busy`.
    static let capacity = 1024

    private let blobs: any BlobStore
    private let work: WorkExecutor
    private let queue = FairQueue<PeerAddress, Lookup, Outcome>(
        width: width, widthOfKey: widthOfClient, capacity: capacity)

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
        guard case .blob(let blob) = try await find(.open(digest), for: head) else { return nil }
        return blob
    }

    /// Returns the facts of a blob that is not local, and does not fetch it; returns `nil` if there is none.
    package func describe(_ digest: SHA256Digest, for head: RequestHead) async throws(PlatformError) -> BlobFacts? {
        guard case .facts(let facts) = try await find(.describe(digest), for: head) else { return nil }
        return facts
    }

    private func find(_ lookup: Lookup, for head: RequestHead) async throws(PlatformError) -> Found? {
        let blobs = blobs
        let outcome = await queue.outcome(of: lookup, as: head.client.customer) {
            do throws(PlatformError) {
                return .success(
                    try await work.run { () throws(PlatformError) in
                        switch lookup {
                        case .open(let digest): try blobs.open(digest).map { .blob($0) }
                        case .describe(let digest): try blobs.describe(digest).map { .facts($0) }
                        }
                    })
            } catch {
                return .failure(error)
            }
        }
        guard let outcome else {
            throw PlatformError(.busy, "Too many requests for files are waiting. Try again in a moment.")
        }
        return try outcome.get()
    }
}
