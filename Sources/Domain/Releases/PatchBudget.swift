/// Limits on the patches to one version (decision 0042).
package enum PatchBudget {
    /// The most versions that builds ship and that are bases: a response without `have` names the patches from each.
    package static let shippedCount = 32
    /// The versions of the newest builds that are bases whatever the archive's size, and whose patches are built before a
    /// release is committed.
    package static let initialCount = 8
    /// Bytes that the patches from versions that builds ship may come to, each base counted with the bytes of the full
    /// archive.
    package static let bytes = 512 << 20
    /// Milliseconds that may be spent in a ``period`` on patches that are built after a release.
    package static let buildTime: Int64 = 600_000
    /// Milliseconds after which ``buildTime`` is available again.
    package static let period: Int64 = 86_400_000
    /// The time limit of one delta patch that is built after a release.
    package static let patchTime: Duration = .seconds(60)

    /// The number of versions that builds ship and that are bases of a version with a full archive of this size.
    package static func shippedCount(archiveSize: Int) -> Int {
        max(initialCount, min(shippedCount, bytes / max(1, archiveSize)))
    }
}
