/// A release set, with those of its releases that may be offered.
struct CandidateReleaseSet: Sendable {
    let id: ReleaseSetID
    /// The members, by package id.
    let members: [Member]
    /// The highest rank of its members.
    let rank: Rank

    struct Member: Sendable {
        let package: PackageID
        let version: VersionString
        /// The candidate; `nil` if a release of higher rank hides it from everyone.
        let candidate: Candidate?
    }

    /// - Parameter candidates: The candidates of the set by package, without hidden ones; not empty.
    init(_ membership: SetMembership, candidates: [PackageID: Candidate]) {
        id = membership.id
        members = membership.versions.sorted { $0.key < $1.key }.map { package, version in
            Member(package: package, version: version, candidate: candidates[package])
        }
        rank = candidates.values.map(\.release.rank).max() ?? Rank(0)
    }

    /// Returns the sets that have a candidate in these packages.
    static func all(in packages: [PackageID: PackageReleases]) -> [CandidateReleaseSet] {
        var memberships: [ReleaseSetID: SetMembership] = [:]
        var candidates: [ReleaseSetID: [PackageID: Candidate]] = [:]
        for (package, releases) in packages {
            for candidate in releases.candidates {
                guard let set = candidate.release.set else { continue }
                memberships[set.id] = set
                candidates[set.id, default: [:]][package] = candidate
            }
        }
        return memberships.values.map { CandidateReleaseSet($0, candidates: candidates[$0.id] ?? [:]) }
    }
}

/// The release sets of a channel, grouped so that sets that may affect each other are together.
struct SetGroups: Sendable {
    /// The groups, each by falling rank.
    let groups: [[CandidateReleaseSet]]
    private let groupIndices: [ReleaseSetID: Int]

    /// - Parameter needs: Returns the direct and indirect dependencies of a package.
    init(_ sets: [CandidateReleaseSet], needs: (PackageID) -> Set<PackageID>) {
        var circles = PackageCircles()
        for set in sets { circles.join(set.members.flatMap { [$0.package] + needs($0.package) }) }
        let grouped = Dictionary(grouping: sets) { set in set.members.first.map { circles.root(of: $0.package) } }
        groups = grouped.values.map { sets in sets.sorted { ($0.rank, $0.id) > ($1.rank, $1.id) } }
        var groupIndices: [ReleaseSetID: Int] = [:]
        for (index, group) in groups.enumerated() {
            for set in group { groupIndices[set.id] = index }
        }
        self.groupIndices = groupIndices
    }

    /// Returns the index of a set's group in ``groups``.
    func index(of set: ReleaseSetID) -> Int? { groupIndices[set] }
}

/// A union of packages that are joined directly or indirectly.
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
