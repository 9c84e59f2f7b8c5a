package import Ground

/// The releases of one package on one channel that may matter to a device at an instant or later.
package final class PackageReleases: Sendable {
    /// The releases that are neither taken back nor hidden from everyone, by falling rank.
    package let candidates: [Candidate]
    /// The releases that are hidden from everyone but determine mandatory updates, by falling rank (semantics.md §2).
    let hidden: [Candidate]
    /// The mandatory releases of both, by falling rank.
    let mandatory: [Candidate]
    /// The next instant at which decisions may change by themselves.
    package let boundary: Timestamp?
    /// The future activeTimes of candidates, in order.
    let coming: [Timestamp]

    package static let none = PackageReleases([], at: Timestamp(milliseconds: 0)) { Candidate($0) }

    /// - Parameters:
    ///   - releases: The releases of one package on one channel.
    ///   - candidate: Adds the lists and tables that the rules of a release need.
    package init(_ releases: [Release], at instant: Timestamp, candidate: (Release) -> Candidate) {
        let (live, hidden) = Self.considered(releases, at: instant)
        candidates = live.map(candidate)
        coming = Set(live.map(\.activeTime).filter { $0 > instant }).sorted()
        self.hidden = hidden.map(candidate)
        mandatory = (candidates + self.hidden).filter(\.release.isMandatory)
            .sorted { $0.release.rank > $1.release.rank }
        // Activations of hidden releases count as well, since they have events.
        let moments = releases.filter { !$0.hasEnded }.map(\.activeTime).filter { $0 > instant }
        // A plan step of a hidden release may make an update mandatory.
        let ends = live.compactMap(\.spreadingEnd).filter { $0 > instant }
        boundary = (moments + ends + (live + hidden).compactMap { $0.nextStep(after: instant) }).min()
    }

    /// Returns the releases that may be offered, and the hidden ones that determine mandatory updates.
    ///
    /// The latter are the mandatory releases, and those above a mandatory one.
    package static func considered(
        _ releases: [Release], at instant: Timestamp
    ) -> (live: [Release], hidden: [Release]) {
        let live = live(releases, at: instant)
        let counted = releases.filter { !$0.hasEnded && !$0.isHalted }
        guard let lowest = counted.filter(\.isMandatory).map(\.rank).min() else { return (live, []) }
        let ids = Set(live.map(\.id))
        let hidden = counted.filter { $0.rank >= lowest && !ids.contains($0.id) }
        return (live, hidden.sorted { $0.rank > $1.rank })
    }

    /// Returns the releases that are neither taken back nor hidden from everyone, by falling rank.
    package static func live(_ releases: [Release], at instant: Timestamp) -> [Release] {
        let sorted = releases.filter { !$0.hasEnded }.sorted { $0.rank > $1.rank }
        guard let bottom = sorted.firstIndex(where: { $0.isActive(at: instant) && $0.isForEveryone(at: instant) })
        else { return sorted }
        // A scheduled release of lower rank stays hidden when it becomes active.
        return Array(sorted[...bottom])
    }

    /// Returns the live releases of several packages, on several channels.
    package static func live(ofEach releases: [Release], at instant: Timestamp) -> [Release] {
        struct Key: Hashable {
            let package: PackageID
            let channel: ChannelName
        }
        return Dictionary(grouping: releases) { Key(package: $0.package, channel: $0.channel) }
            .values.flatMap { live($0, at: instant) }
    }

    /// Whether a release may make an update mandatory.
    package var hasMandatory: Bool { !mandatory.isEmpty }

    /// Returns whether the decision depends on device facts.
    package func dependsOnFacts(at instant: Timestamp) -> Bool {
        candidates.contains {
            !$0.release.isForEveryone(at: max(instant, $0.release.activeTime)) || $0.release.isSpreading(at: instant)
        }
    }
}
