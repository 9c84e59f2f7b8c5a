import Ground

/// The requirements of seed 002's clients (clients.md O7–O9).
package struct NewestPackageRules: DialectRules {
    package let layout: Layout? = .flat

    package init() {}

    /// Returns a problem if the id cannot be the first label of a host name in lower case (O8).
    package func problem(with package: Package) -> DialectProblem? {
        let id = package.id.text
        guard id.utf8.contains(where: { ASCII.isUpper($0) || $0 == UInt8(ascii: ".") }) else { return nil }
        return DialectProblem(
            "Clients of the dialect 'newest-package' open 'https://\(id).package', where the id has to be in lower case "
                + "and without dots: make a package with such an id, or do without the dialect.")
    }

    /// Returns a problem without `index.html` at the root, which the clients open for an empty path (O9).
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
