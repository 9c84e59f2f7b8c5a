package import Ground

/// The releases that hide each other: of two active ones the higher rank wins (semantics.md §2).
package struct Shadowing: Sendable {
    /// A release, and the time from which it hides another or is hidden.
    package struct Other: Sendable, Equatable {
        package let release: Release
        package let from: Timestamp
    }

    /// The releases that this release hides.
    package let shadows: [Other]
    /// The releases that hide this release.
    package let shadowedBy: [Other]

    /// Compares a release with those that devices may be offered besides it.
    ///
    /// - Parameter releases: The releases of the package; the release itself and other channels are ignored.
    package init(of release: Release, among releases: [Release], at instant: Timestamp) {
        let others = releases.filter { $0.channel == release.channel && $0.id != release.id }
        let offered = PatchCoverage.offered(others, at: instant).map { other in
            Other(release: other, from: max(instant, release.activeTime, other.activeTime))
        }
        shadows = offered.filter { $0.release.rank < release.rank }
        shadowedBy = offered.filter { $0.release.rank > release.rank }
    }
}
