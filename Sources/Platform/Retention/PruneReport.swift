package import Domain

/// A report of the items that a run of the pruner removed, or would remove.
package struct PruneReport: Sendable, Equatable {
    /// The number of items that are listed; all are counted.
    package static let listed = 100

    package let isRehearsal: Bool
    package private(set) var versions = 0
    /// The number of archives and patches, including those of removed versions.
    package private(set) var artifacts = 0
    package private(set) var blobs = 0
    /// The bytes of the removed blobs.
    package private(set) var bytes = 0
    package private(set) var items: [Item] = []
    /// The apps that were skipped, because their last change is not loaded yet.
    package internal(set) var skipped: [AppID] = []

    /// Whether blobs were left for a later run because a backup was copying them.
    package internal(set) var isHeldByBackup = false

    /// The number of failures that are listed.
    package static let listedFailures = 10
    /// The steps that failed; all others were done.
    package private(set) var failures: [PlatformError] = []

    /// Whether the time limit ended the run before it had checked everything.
    package private(set) var isPartial = false
    private let end: ContinuousClock.Instant?

    init(isRehearsal: Bool, until end: ContinuousClock.Instant? = nil) {
        self.isRehearsal = isRehearsal
        self.end = end
    }

    /// Whether the run has to end now; marks the report as partial if so.
    var isOver: Bool {
        mutating get {
            guard Task.isCancelled || end.map({ ContinuousClock.now >= $0 }) ?? false else { return false }
            isPartial = true
            return true
        }
    }

    /// A version, or a patch that is removed on its own.
    package struct Item: Sendable, Equatable {
        package let app: AppID
        package let package: PackageID
        package let version: VersionString
        /// The removed patch; `nil` for a version.
        package let patch: Patch?
        package let reason: Retention.Go
        /// The bytes of the archives and patches.
        package let bytes: Int

        package struct Patch: Sendable, Equatable {
            package let kind: String
            package let base: VersionString
            package let blob: SHA256Digest
        }
    }

    /// The number of items that are counted but not listed.
    package private(set) var unlisted = 0

    package var isEmpty: Bool { versions == 0 && artifacts == 0 && blobs == 0 }

    mutating func add(_ failure: PlatformError) {
        if failures.count < Self.listedFailures { failures.append(failure) }
    }

    mutating func add(_ step: PruneStep) {
        versions += step.removal.versions.count
        artifacts += step.artifactCount
        let room = max(0, Self.listed - items.count)
        items += step.items.prefix(room)
        unlisted += max(0, step.items.count - room)
    }

    mutating func add(_ forgotten: [BlobRecord]) {
        blobs += forgotten.count
        bytes += forgotten.reduce(0) { $0 + $1.size }
    }
}
