package import Ground

/// The store of the facts by which versions and blobs are removed, and their removal.
///
/// Changes leave the config version unchanged.
package protocol RetentionStore: Sendable {
    func retentionFacts(of package: PackageID, in app: AppID) async throws(PlatformError) -> RetentionFacts
    /// Removes versions except their names and identities, and patches; their blobs stay recorded.
    func forget(_ removal: Removal, at now: Timestamp, audit: AuditEntry) async throws(PlatformError)
    /// Returns the digests of all recorded blobs.
    func blobs() async throws(PlatformError) -> Set<SHA256Digest>
    /// Returns the number of the blobs that metadata know, and their bytes.
    func blobTotals() async throws(PlatformError) -> (count: Int, bytes: Int64)
    /// Returns the unreferenced blobs of a shard, ignoring references of the items in `removal`.
    ///
    /// A shard is the set of blobs whose digest begins with a given byte.
    func unreferencedBlobs(
        in shard: UInt8, disregarding removal: Removal
    ) async throws(PlatformError) -> [BlobRecord]
    /// Removes the records of up to `count` unreferenced blobs of a shard, and returns them.
    ///
    /// - Parameter condemning: Called in the transaction with the candidates; returns those that may be removed. May be
    ///   called again if the transaction has to be repeated.
    func forgetBlobs(
        in shard: UInt8, upTo count: Int,
        condemning: @Sendable (Set<SHA256Digest>) -> Set<SHA256Digest>
    ) async throws(PlatformError) -> [BlobRecord]
}
