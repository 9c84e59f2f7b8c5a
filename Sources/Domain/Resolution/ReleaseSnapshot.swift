/// Everything that decides what the devices of one channel get; immutable.
package struct ReleaseSnapshot: Sendable {
    package let packages: [PackageID: PackageReleases]
    /// Packages that devices get no update of.
    let disabled: Set<PackageID>
    /// The native APIs of each host build that was registered, by its appVersion.
    package let builds: [String: Set<String>]
    /// By package, all that its releases depend on, over others as well.
    private let reached: [PackageID: Set<PackageID>]
    /// The release sets that are on offer or coming.
    let sets: SetGroups

    package init(
        packages: [PackageID: PackageReleases], disabled: Set<PackageID> = [], builds: [String: Set<String>] = [:]
    ) {
        self.packages = packages
        self.disabled = disabled
        self.builds = builds
        let reached = Self.reached(in: packages)
        self.reached = reached
        sets = SetGroups(CandidateSet.all(in: packages)) { reached[$0] ?? [] }
    }

    /// Whether a package depends on another that depends on it in turn: then neither has the other.
    func isCircular(_ package: PackageID, _ dependency: PackageID) -> Bool {
        package == dependency || reached[dependency]?.contains(package) ?? false
    }

    private static func reached(in packages: [PackageID: PackageReleases]) -> [PackageID: Set<PackageID>] {
        var needs = PackageNeeds()
        for (package, releases) in packages {
            for candidate in releases.candidates { needs.add(candidate.release.requirements, of: package) }
        }
        return Dictionary(uniqueKeysWithValues: needs.packages.map { ($0, needs.all(of: $0)) })
    }
}
