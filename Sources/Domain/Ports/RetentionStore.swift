package import Ground

/// The store of the facts by which versions and blobs are removed, and their removal.
///
/// Each method is one transaction. Methods throw `storageFull` or `storageFailed` if the store fails.
package protocol RetentionStore: Sendable {
    /// Advances the retention clock by the time since the last call, at most `most` milliseconds.
    ///
    /// A clock set back reverses the advance. Shifts the marks of unnamed blobs by the time that does not count. Call
    /// it before writing or evaluating marks, with the same instant.
    func advanceRetentionClock(to now: Timestamp, counting most: Int64) async throws(PlatformError)
    /// Records that responses name these archives and patches of an app; call it before the first such response.
    func noteNamed(_ blobs: Set<SHA256Digest>, of app: AppID) async throws(PlatformError)
    /// Marks every archive and patch of an app that responses do not name and that has no mark, with `instant`.
    func noteUnnamed(
        except named: Set<SHA256Digest>, of app: AppID, at instant: Timestamp
    ) async throws(PlatformError)
    func retentionFacts(of package: PackageID, in app: AppID) async throws(PlatformError) -> RetentionFacts
    /// Removes versions except their names and identities, and patches; their blobs stay recorded.
    func forget(_ removal: Removal, at now: Timestamp, audit: AuditEntry) async throws(PlatformError)
    /// Returns the unreferenced blobs of a shard, ignoring references of the items in `removal`.
    ///
    /// A shard is the set of blobs whose digest begins with a given byte.
    func unreferencedBlobs(
        in shard: UInt8, disregarding removal: Removal
    ) async throws(PlatformError) -> [BlobRecord]
    /// Removes the rows of up to `count` unreferenced blobs of a shard.
    ///
    /// - Parameter condemning: Called in the transaction with the candidates; returns those that may be removed.
    func forgetBlobs(
        in shard: UInt8, upTo count: Int,
        condemning: @Sendable (Set<SHA256Digest>) -> Set<SHA256Digest>
    ) async throws(PlatformError) -> [BlobRecord]
}
