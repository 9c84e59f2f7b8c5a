/// The dependencies between packages.
package struct PackageNeeds: Sendable {
    private var direct: [PackageID: Set<PackageID>] = [:]

    package init() {}

    /// The packages that have dependencies.
    var packages: Dictionary<PackageID, Set<PackageID>>.Keys { direct.keys }

    package mutating func add(_ requirements: VersionRequirements, of package: PackageID) {
        guard !requirements.dependencies.isEmpty else { return }
        direct[package, default: []].formUnion(requirements.dependencies.map(\.package))
    }

    /// Returns the direct and indirect dependencies of a package, including itself if they are circular.
    package func all(of package: PackageID) -> Set<PackageID> {
        var reached: Set<PackageID> = []
        var open = [package]
        while let next = open.popLast() {
            for needed in direct[next] ?? [] where reached.insert(needed).inserted { open.append(needed) }
        }
        return reached
    }
}
