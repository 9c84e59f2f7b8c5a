/// What the store knows of what answers name, and how it forgets.
///
/// Each method is one transaction. Throw `storageFull` or `storageFailed` where the store fails.
package protocol RetentionStore: Sendable {
    /// Has the time since the last call count, so many milliseconds of it at most; as much is taken back where the clock was
    /// set back. The moments of what is not named are moved by the rest.
    ///
    /// To be called before moments are noted or gone by, which is then done at the same instant.
    func advanceRetentionClock(to now: Timestamp, counting most: Int64) async throws(PlatformError)
    /// Notes that answers name these archives and patches of an app; to be called before the first answer does.
    func noteNamed(_ blobs: Set<SHA256Digest>, of app: AppID) async throws(PlatformError)
    /// Notes `instant` for every archive and patch of an app that answers do not name and that has no moment yet.
    func noteUnnamed(
        except named: Set<SHA256Digest>, of app: AppID, at instant: Timestamp
    ) async throws(PlatformError)
    func retentionFacts(of package: PackageID, in app: AppID) async throws(PlatformError) -> RetentionFacts
    /// Forgets versions but for their names and identities, and patches; their blobs stay known.
    func forget(_ removal: Removal, at now: Timestamp, audit: AuditEntry) async throws(PlatformError)
    /// The blobs that nothing refers to, but for what is about to be removed, of those whose digest begins with a byte.
    func unreferencedBlobs(
        in shard: UInt8, disregarding removal: Removal
    ) async throws(PlatformError) -> [BlobRecord]
    /// Forgets the blobs of a shard that nothing refers to and that may be removed, so many at most.
    ///
    /// - Parameter condemning: Asked in the transaction with those that could go; gives those that may.
    func forgetBlobs(
        in shard: UInt8, upTo count: Int,
        condemning: @Sendable (Set<SHA256Digest>) -> Set<SHA256Digest>
    ) async throws(PlatformError) -> [BlobRecord]
}
