package import Ground

/// The store of the removals of blobs, by which nodes that share a bucket notice a removal that overlaps with a
/// publishing (decision 0064).
///
/// ``RetentionStore/forgetBlobs(in:upTo:condemning:)`` begins removals.
package protocol BlobRemovalStore: Sendable {
    /// Returns the time by the clock of the store.
    func storeTime() async throws(PlatformError) -> Timestamp
    /// Records that the removal of these blobs has ended and will not happen later.
    ///
    /// - Parameter begun: A time after the removals began, by the clock of the store: later removals, by other nodes, go
    ///   on.
    func endRemovals(of digests: Set<SHA256Digest>, begunBy begun: Timestamp) async throws(PlatformError)
}

/// The ports that a server needs beside others of its installation.
package typealias NodeStore = ChangeLock & LeaseStore & BlobRemovalStore
