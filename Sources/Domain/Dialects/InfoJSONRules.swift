/// What clients of seed 003 need (clients.md H5).
package struct InfoJSONRules: DialectRules {
    package let layout: Layout? = .baseNames

    package init() {}

    package func problem(with package: Package) -> DialectProblem? { nil }

    /// They look at nothing but the last part of a path, so no two files may share it.
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
