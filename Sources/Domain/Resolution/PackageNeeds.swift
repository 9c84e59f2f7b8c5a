/// Which packages need which others.
package struct PackageNeeds: Sendable {
    private var direct: [PackageID: Set<PackageID>] = [:]

    package init() {}

    /// Those that need something.
    var packages: Dictionary<PackageID, Set<PackageID>>.Keys { direct.keys }

    package mutating func add(_ requirements: VersionRequirements, of package: PackageID) {
        guard !requirements.dependencies.isEmpty else { return }
        direct[package, default: []].formUnion(requirements.dependencies.map(\.package))
    }

    /// All that a package needs, over others as well; itself among them where they need each other in a circle.
    package func all(of package: PackageID) -> Set<PackageID> {
        var reached: Set<PackageID> = []
        var open = [package]
        while let next = open.popLast() {
            for needed in direct[next] ?? [] where reached.insert(needed).inserted { open.append(needed) }
        }
        return reached
    }
}
