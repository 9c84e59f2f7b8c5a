/// What the releases of one package on one channel come to at an instant (semantics.md §2).
package struct Standing: Sendable, Equatable {
    /// What a device gets now.
    package let current: Offer?
    /// What it will get next, and from when; it may be downloaded ahead.
    package let next: Offer?
    /// The next instant at which this may change by itself.
    package let boundary: Timestamp?

    package struct Offer: Sendable, Equatable {
        package let release: Release
        /// The highest rank up to the offer's own of a mandatory release.
        package let mandatoryAfter: Rank?
    }

    /// Finds the release that wins and the one that will win next.
    package init(of releases: [Release], at instant: Timestamp) {
        let current = releases.filter { $0.isActive(at: instant) }.max { $0.rank < $1.rank }
        let coming = releases.filter { !$0.isActive(at: instant) }
        // A coming release of lower rank than the current one stays hidden when its moment comes.
        let winners = coming.filter { release in current.map { release.rank > $0.rank } ?? true }
        let next = winners.min { ($0.activeTime, $1.rank) < ($1.activeTime, $0.rank) }

        func offer(_ release: Release) -> Offer {
            let mandatory = releases.filter { $0.isMandatory && $0.rank <= release.rank }
            return Offer(release: release, mandatoryAfter: mandatory.map(\.rank).max())
        }
        self.current = current.map(offer)
        self.next = next.map(offer)
        boundary = coming.map(\.activeTime).min()
    }
}
