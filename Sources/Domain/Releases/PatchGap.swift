import Ground

/// A version from which a release offers no patch, although devices may have it.
package struct PatchGap: Sendable, Equatable {
    package let base: VersionString
    package let reason: Reason

    package init(base: VersionString, reason: Reason) {
        self.base = base
        self.reason = reason
    }

    /// The raw values are part of the operators' API (docs/api.md).
    package enum Reason: String, Sendable, CaseIterable {
        /// The patch is planned and not built yet.
        case pending
        /// The last attempt to build or sign the patch failed; the server tries again.
        case failed
        /// The time for building patches to the version is used up (``PatchBudget/buildTime``).
        case timeBudget = "time-budget"
        /// ``PatchBudget/shippedCount`` newer builds ship other versions.
        case buildCount = "build-count"
        /// The patches from the versions of newer builds use up ``PatchBudget/bytes``.
        case byteBudget = "byte-budget"
        /// The files of the base were removed.
        case filesRemoved = "files-removed"
        /// The patch is not smaller than the full archive.
        case notSmaller = "not-smaller"

        /// The reason as a sentence for operators.
        package var sentence: String {
            switch self {
            case .pending: "the patch is being built"
            case .failed: "building or signing the patch failed, and is retried after ten minutes or more"
            case .timeBudget: "the time for building patches to this version is used up for a day"
            case .buildCount: "\(PatchBudget.shippedCount) newer builds ship other versions"
            case .byteBudget:
                "the patches from the versions of newer builds use up the limit of \(ByteCount.text(PatchBudget.bytes))"
            case .filesRemoved: "the files of that version were removed"
            case .notSmaller: "the patch is not smaller than the full archive"
            }
        }
    }
}

extension PatchCoverage {
    /// Returns the versions from which a release offers no patch: planned bases, and shipped versions beyond the
    /// budget.
    ///
    /// - Parameters:
    ///   - full: The full archive of the release's version.
    ///   - patches: The stored patches to any version of the package.
    ///   - reason: Returns the reason why the patch from a planned base is not stored; `nil` if it is still to be
    ///     built.
    package static func gaps(
        of release: Release, among releases: [Release], shipped: [VersionString], full: Artifact,
        patches: [Artifact], reason: (VersionString) -> PatchGap.Reason?
    ) -> [PatchGap] {
        let own = patches.filter { $0.version == release.version }
        let reached = reached(by: own, to: release.version)
        let bases = bases(of: release, among: releases, shipped: shipped, archiveSize: full.size)
        let offered = PatchChoice.worthwhile(
            own.map { SignedArtifact(artifact: $0, signatures: []) }, from: bases,
            insteadOf: SignedArtifact(artifact: full, signatures: []))
        let useful = Set(offered.compactMap(\.artifact.base))
        let planned = bases.compactMap { base -> PatchGap? in
            guard reached.contains(base) else { return PatchGap(base: base, reason: reason(base) ?? .pending) }
            return useful.contains(base) ? nil : PatchGap(base: base, reason: .notSmaller)
        }
        let others = shipped.filter { $0 != release.version }.enumerated().filter { !bases.contains($0.element) }
        return planned
            + others.map { index, base in
                PatchGap(base: base, reason: index < PatchBudget.shippedCount ? .byteBudget : .buildCount)
            }
    }
}

extension [PatchGap] {
    /// Whether every patch that the server will build by itself is stored.
    package var arePatchesReady: Bool { !contains { $0.reason == .pending || $0.reason == .failed } }
}
