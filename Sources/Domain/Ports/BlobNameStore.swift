package import Ground

/// The store of the times since which responses do not name a blob; a mark is such a time.
///
/// Changes leave the config version unchanged.
package protocol BlobNameStore: Sendable {
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
}
