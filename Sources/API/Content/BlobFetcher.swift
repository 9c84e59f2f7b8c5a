package import Domain
import Execution
package import HTTP

/// Fetches blobs that are not on the local disk, for requests.
///
/// Requests for one blob share a fetch. Clients are admitted in turn, and one client has a limited number of fetches at
/// a time, so that a client that requests many blobs does not delay the others.
package final class BlobFetcher: Sendable {
    private typealias Outcome = Result<OpenBlob?, PlatformError>

    /// The number of blobs that are fetched at a time: the threads of the pool.
    package static let width = 8
    /// The number of blobs that are fetched at a time for one client; the others stay free for other clients.
    static let widthOfClient = 6
    /// The number of waiting places, one for each client and blob; past it, the newest one of the client with the most
    /// gets `busy`.
    static let capacity = 1024

    private let blobs: any BlobStore
    private let work: WorkExecutor
    private let turns = SharedTurns<PeerAddress, SHA256Digest, Outcome>(
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
        let blobs = blobs
        let outcome = await turns.outcome(of: digest, as: head.client.customer) {
            do throws(PlatformError) {
                return .success(try await work.run { () throws(PlatformError) in try blobs.open(digest) })
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
