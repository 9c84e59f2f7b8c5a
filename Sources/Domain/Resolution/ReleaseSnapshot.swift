/// An immutable snapshot of the releases and facts that determine the decisions for the devices of one channel.
package struct ReleaseSnapshot: Sendable {
    package let packages: [PackageID: PackageReleases]
    /// The packages that are not enabled.
    let disabled: Set<PackageID>
    /// The native APIs of each registered host build, by appVersion.
    package let builds: [String: Set<String>]
    /// The direct and indirect dependencies of each package's releases.
    private let reached: [PackageID: Set<PackageID>]
    /// The release sets that are offered or scheduled.
    let sets: SetGroups

    package init(
        packages: [PackageID: PackageReleases], disabled: Set<PackageID> = [], builds: [String: Set<String>] = [:]
    ) {
        self.packages = packages
        self.disabled = disabled
        self.builds = builds
        let reached = Self.reached(in: packages)
        self.reached = reached
        sets = SetGroups(CandidateReleaseSet.all(in: packages)) { reached[$0] ?? [] }
    }

    /// Returns whether two packages depend on each other; then no device gets either.
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
