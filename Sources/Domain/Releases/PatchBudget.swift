/// The limits on the patches to one version (decision 0042).
package enum PatchBudget {
    /// The limit on shipped versions that are bases: a response without `have` names the patches from each of them.
    package static let shippedCount = 32
    /// The number of shipped versions that are always bases, and whose patches are built before a release is committed.
    package static let initialCount = 8
    /// The bytes that patches from shipped versions may take, with each base counted as one full archive.
    package static let bytes = 512 << 20
    /// The milliseconds in each ``period`` for building patches after a release.
    package static let buildTime: Int64 = 600_000
    /// The milliseconds after which ``buildTime`` is available again.
    package static let period: Int64 = 86_400_000
    /// The time limit of one delta patch that is built after a release.
    package static let patchTime: Duration = .seconds(60)

    /// Returns the number of shipped versions that are bases of a version with a full archive of this size.
    package static func shippedCount(archiveSize: Int) -> Int {
        max(initialCount, min(shippedCount, bytes / max(1, archiveSize)))
    }
}
