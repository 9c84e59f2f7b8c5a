/// A release set, as far as its releases may be offered.
struct CandidateSet: Sendable {
    let id: ReleaseSetID
    /// By package id.
    let members: [Member]
    /// The highest of its members.
    let rank: Rank

    struct Member: Sendable {
        let package: PackageID
        let version: VersionString
        /// `nil` where one of higher rank hides it from everyone.
        let candidate: Candidate?
    }

    /// - Parameter candidates: By package, those of the set that are not hidden; not empty.
    init(_ membership: SetMembership, candidates: [PackageID: Candidate]) {
        id = membership.id
        members = membership.versions.sorted { $0.key < $1.key }.map { package, version in
            Member(package: package, version: version, candidate: candidates[package])
        }
        rank = candidates.values.map(\.release.rank).max() ?? Rank(0)
    }

    /// The sets that have a candidate in these packages.
    static func all(in packages: [PackageID: PackageReleases]) -> [CandidateSet] {
        var memberships: [ReleaseSetID: SetMembership] = [:]
        var candidates: [ReleaseSetID: [PackageID: Candidate]] = [:]
        for (package, releases) in packages {
            for candidate in releases.candidates {
                guard let set = candidate.release.set else { continue }
                memberships[set.id] = set
                candidates[set.id, default: [:]][package] = candidate
            }
        }
        return memberships.values.map { CandidateSet($0, candidates: candidates[$0.id] ?? [:]) }
    }
}

/// The release sets of a channel; those are together that may decide about each other.
struct SetGroups: Sendable {
    /// In each the highest rank first.
    let groups: [[CandidateSet]]
    private let places: [ReleaseSetID: Int]

    /// - Parameter needs: All that a package needs, over others as well.
    init(_ sets: [CandidateSet], needs: (PackageID) -> Set<PackageID>) {
        var circles = PackageCircles()
        for set in sets { circles.join(set.members.flatMap { [$0.package] + needs($0.package) }) }
        let grouped = Dictionary(grouping: sets) { set in set.members.first.map { circles.root(of: $0.package) } }
        groups = grouped.values.map { sets in sets.sorted { ($0.rank, $0.id) > ($1.rank, $1.id) } }
        var places: [ReleaseSetID: Int] = [:]
        for (index, group) in groups.enumerated() {
            for set in group { places[set.id] = index }
        }
        self.places = places
    }

    /// The place of a set's group among ``groups``.
    func place(of set: ReleaseSetID) -> Int? { places[set] }
}

/// Packages that were joined, directly or over others.
private struct PackageCircles {
    private var parents: [PackageID: PackageID] = [:]

    mutating func join(_ packages: [PackageID]) {
        guard let first = packages.first else { return }
        let root = root(of: first)
        for package in packages.dropFirst() {
            let other = self.root(of: package)
            if other != root { parents[other] = root }
        }
    }

    func root(of package: PackageID) -> PackageID {
        var root = package
        while let parent = parents[root] { root = parent }
        return root
    }
}
