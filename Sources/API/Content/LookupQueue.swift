package import Domain
import Execution
package import HTTP

/// The queue of requests that look up files in the store, whose one thread also serves publishing and activations.
///
/// Clients are admitted in turn, so that a client with many requests does not delay the others.
package final class LookupQueue: Sendable {
    /// The number of concurrent lookups.
    static let width = 4
    /// The number of waiting lookups; past it, the newest lookup of the client with the most gets `busy`.
    static let capacity = 1024

    private let gate = FairGate<PeerAddress>(width: width, capacity: capacity)

    /// Runs a lookup when its client is next, or throws `busy` if the queue is full.
    package func pass<Found>(
        for head: RequestHead, _ body: () async throws(PlatformError) -> Found
    ) async throws(PlatformError) -> Found {
        guard let found = try await gate.pass(as: head.client.customer, body) else {
            throw PlatformError(.busy, "Too many requests for files are waiting. Try again in a moment.")
        }
        return found
    }
}
