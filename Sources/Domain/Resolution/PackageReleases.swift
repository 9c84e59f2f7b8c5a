package import Ground

/// The releases of one package on one channel, as far as they may matter to a device at an instant or later.
package final class PackageReleases: Sendable {
    /// By falling rank: neither taken back nor hidden from everyone.
    package let candidates: [Candidate]
    /// By falling rank: hidden from everyone, and needed to tell who has to update (semantics.md §2).
    let hidden: [Candidate]
    /// By falling rank, of both.
    let mandatory: [Candidate]
    /// The next instant at which what devices get may change by itself.
    package let boundary: Timestamp?
    /// The moments of candidates that lie ahead, in their order.
    let coming: [Timestamp]

    package static let none = PackageReleases([], at: Timestamp(milliseconds: 0)) { Candidate($0) }

    /// - Parameters:
    ///   - releases: Of one package on one channel.
    ///   - candidate: Adds what the rules of a release need.
    package init(_ releases: [Release], at instant: Timestamp, candidate: (Release) -> Candidate) {
        let (live, hidden) = Self.considered(releases, at: instant)
        candidates = live.map(candidate)
        coming = Set(live.map(\.activeTime).filter { $0 > instant }).sorted()
        self.hidden = hidden.map(candidate)
        mandatory = (candidates + self.hidden).filter(\.release.isMandatory)
            .sorted { $0.release.rank > $1.release.rank }
        // Also of one that stays hidden: its event is told.
        let moments = releases.filter { !$0.hasEnded }.map(\.activeTime).filter { $0 > instant }
        // A step of a hidden one may make an update mandatory.
        let ends = live.compactMap(\.spreadingEnd).filter { $0 > instant }
        boundary = (moments + ends + (live + hidden).compactMap { $0.nextStep(after: instant) }).min()
    }

    /// The releases that may be offered, and those that are hidden from everyone and tell who has to update: the mandatory
    /// ones, and those above one.
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

    /// The releases that are neither taken back nor hidden from everyone, by falling rank.
    package static func live(_ releases: [Release], at instant: Timestamp) -> [Release] {
        let sorted = releases.filter { !$0.hasEnded }.sorted { $0.rank > $1.rank }
        guard let bottom = sorted.firstIndex(where: { $0.isActive(at: instant) && $0.isForEveryone(at: instant) })
        else { return sorted }
        // A coming one of lower rank stays hidden when its moment comes.
        return Array(sorted[...bottom])
    }

    /// The same of releases of several packages, on several channels.
    package static func live(ofEach releases: [Release], at instant: Timestamp) -> [Release] {
        struct Place: Hashable {
            let package: PackageID
            let channel: ChannelName
        }
        return Dictionary(grouping: releases) { Place(package: $0.package, channel: $0.channel) }
            .values.flatMap { live($0, at: instant) }
    }

    /// Whether a release may make an update mandatory.
    package var hasMandatory: Bool { !mandatory.isEmpty }

    /// Whether what a device gets depends on what it says.
    package func dependsOnFacts(at instant: Timestamp) -> Bool {
        candidates.contains {
            !$0.release.isForEveryone(at: max(instant, $0.release.activeTime)) || $0.release.isSpreading(at: instant)
        }
    }
}
