package import Ground

/// Which releases hide each other: of two the higher rank wins once both are active (semantics.md §2).
package struct Shadowing: Sendable {
    /// A release, and the moment from which it hides or is hidden.
    package struct Other: Sendable, Equatable {
        package let release: Release
        package let from: Timestamp
    }

    /// What the release hides.
    package let shadows: [Other]
    /// What hides the release.
    package let shadowedBy: [Other]

    /// Compares a release with those that devices may still be offered beside it.
    ///
    /// - Parameter releases: Of the package; the release itself and other channels are passed over.
    package init(of release: Release, among releases: [Release], at instant: Timestamp) {
        let others = releases.filter { $0.channel == release.channel && $0.id != release.id }
        let offered = PatchPlan.offered(others, at: instant).map { other in
            Other(release: other, from: max(instant, release.activeTime, other.activeTime))
        }
        shadows = offered.filter { $0.release.rank < release.rank }
        shadowedBy = offered.filter { $0.release.rank > release.rank }
    }
}
