import Ground

/// What clients of seed 002 need (clients.md O7–O9).
package struct NewestPackageRules: DialectRules {
    package let layout: Layout? = .flat

    package init() {}

    /// The id is a host name's first part to them, which comes in lower case and ends at a dot (O8).
    package func problem(with package: Package) -> DialectProblem? {
        let id = package.id.text
        guard id.utf8.contains(where: { ASCII.isUpper($0) || $0 == UInt8(ascii: ".") }) else { return nil }
        return DialectProblem(
            "Clients of the dialect 'newest-package' open 'https://\(id).package', where the id has to be in lower case "
                + "and without dots: make a package with such an id, or do without the dialect.")
    }

    /// What has no path of its own is `index.html` at the root to them (O9).
    package func problem(
        with version: VersionString, tree: Tree, of package: Package, made: Set<Layout>
    ) -> DialectProblem? {
        guard tree[.index] == nil else { return nil }
        return DialectProblem(
            "Clients of the dialect 'newest-package' open 'index.html' at the root, and \(version) of '\(package.id)' has "
                + "none: publish a version that has it, or do without the dialect.",
            path: .index)
    }
}
