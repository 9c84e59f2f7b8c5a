/// The requirements of seed 003's clients (clients.md H5).
package struct InfoJSONRules: DialectRules {
    package let layout: Layout? = .baseNames

    package init() {}

    package func problem(with package: Package) -> DialectProblem? { nil }

    /// Returns a problem if two files share the last part of their paths, which is all that the clients use.
    package func problem(
        with version: VersionString, tree: Tree, of package: Package, made: Set<Layout>
    ) -> DialectProblem? {
        do throws(PlatformError) {
            if !made.contains(.baseNames) { try Layout.baseNames.requireDistinctNames(of: tree) }
            _ = try Layout.baseNames.placed(tree, of: package.id)
            return nil
        } catch {
            return DialectProblem(
                "\(version) of '\(package.id)' is not for clients of the dialect 'info-json': \(error.message)",
                path: error.entry.flatMap { try? TreePath($0) })
        }
    }
}
