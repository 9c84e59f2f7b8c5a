import Ground

/// The rules of the dialects that a server has.
package struct DialectList: Sendable {
    private let rules: [any DialectRules]

    package init(_ rules: [any DialectRules]) {
        self.rules = rules
    }

    /// The names of all dialects, as an error message lists them.
    package var names: String { rules.map { "'\($0.dialect.rawValue)'" }.joined(separator: ", ") }

    /// Returns the dialect of a name; `nil` if there is none.
    package func dialect(named name: String) -> Dialect? {
        rules.first { $0.dialect.rawValue == name }?.dialect
    }

    /// Returns the reason why a server with these dialects cannot serve a stored package with a dialect; `nil` if it can.
    package func refusal(of dialect: Dialect, on package: PackageID, of app: AppID) -> String? {
        guard self.dialect(named: dialect.rawValue) == nil else { return nil }
        let name = ShownText.of(dialect.rawValue.utf8)
        return "The package '\(package)' of the app '\(app)' has the dialect '\(name)', which this larder lacks. "
            + "Run a larder that has it, or turn it off there first."
    }

    /// Returns the rules of some dialects, sorted by name; dialects that are not in the list have none.
    package func rules(of dialects: Set<Dialect>) -> [any DialectRules] {
        rules.filter { dialects.contains($0.dialect) }.sorted { $0.dialect < $1.dialect }
    }

    /// Returns the first problem of its dialects' clients with the package itself.
    package func problem(with package: Package) -> DialectProblem? {
        rules(of: package.dialects).lazy.compactMap { $0.problem(with: package) }.first
    }

    /// Returns the first problem of its dialects' clients with a version.
    package func problem(
        with version: VersionString, tree: Tree, of package: Package, made: Set<Layout> = []
    ) -> DialectProblem? {
        rules(of: package.dialects).lazy
            .compactMap { $0.problem(with: version, tree: tree, of: package, made: made) }.first
    }

    /// Returns the first problem of its dialects' clients with a version, by the version's own settings.
    package func problem(with version: Version, of package: Package, made: Set<Layout> = []) -> DialectProblem? {
        var package = package
        if let own = version.resources { package.resources = own }
        return problem(with: version.version, tree: version.tree, of: package, made: made)
    }

    /// Returns the layouts, besides seed 000's, in which a package's versions need an archive.
    package func layouts(of package: Package) -> Set<Layout> {
        Set(rules(of: package.dialects).compactMap(\.layout))
    }
}
