/// The requirements of seed 004's clients (clients.md P5–P8).
package struct ResourcesJSONRules: DialectRules {
    /// No layout, since the clients download single files.
    package let layout: Layout? = nil

    package init() {}

    package func problem(with package: Package) -> DialectProblem? { nil }

    /// Returns a problem if a version cannot be ordered, or a file has no valid id or pattern of its own.
    package func problem(
        with version: VersionString, tree: Tree, of package: Package, made: Set<Layout>
    ) -> DialectProblem? {
        guard DottedVersion(version.text) != nil else {
            return DialectProblem(
                "Clients of the dialect 'resources-json' put versions in the order of their numbers, and '\(version)' of "
                    + "'\(package.id)' is not dotted numbers such as 4.0.1: publish it under such a version, or do without "
                    + "the dialect.")
        }
        do throws(VersionResources.Fault) {
            _ = try VersionResources(
                of: tree, entry: package.entry, urlPrefix: package.urlPrefix, settings: package.resources)
            return nil
        } catch {
            return DialectProblem(
                "\(version) of '\(package.id)' is not for clients of the dialect 'resources-json': \(error.message)",
                path: error.path)
        }
    }
}
