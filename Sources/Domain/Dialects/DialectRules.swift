/// What a dialect's clients need of a package: pure rules, checked when the dialect is turned on, at every publishing
/// after that and at every release.
package protocol DialectRules: Sendable {
    /// In which its clients download a version as a whole; `nil` where they download single files.
    var layout: Layout? { get }

    /// What keeps its clients from the package, whatever its versions hold.
    func problem(with package: Package) -> DialectProblem?

    /// What keeps its clients from a version.
    ///
    /// - Parameters:
    ///   - tree: The version's, as it was uploaded.
    ///   - made: The layouts in which the version has an archive, whose names were checked when it was made.
    func problem(
        with version: VersionString, tree: Tree, of package: Package, made: Set<Layout>
    ) -> DialectProblem?
}

/// Why a dialect's clients cannot have a package or a version of it.
package struct DialectProblem: Sendable, Equatable {
    /// A sentence that names what is at fault and says what to do.
    package let message: String
    /// The file at fault, or the one that is missing.
    package let path: TreePath?

    package init(_ message: String, path: TreePath? = nil) {
        self.message = message
        self.path = path
    }
}

extension Package {
    /// The first thing that keeps the clients of its dialects from the package itself.
    package var dialectProblem: DialectProblem? {
        dialects.sorted().lazy.compactMap { $0.rules.problem(with: self) }.first
    }

    /// The first thing that keeps the clients of its dialects from a version.
    package func dialectProblem(
        with version: VersionString, tree: Tree, made: Set<Layout> = []
    ) -> DialectProblem? {
        dialects.sorted().lazy.compactMap { $0.rules.problem(with: version, tree: tree, of: self, made: made) }.first
    }

    /// The same by the settings that the version brought itself.
    package func dialectProblem(with version: Version, made: Set<Layout> = []) -> DialectProblem? {
        var package = self
        if let own = version.resources { package.resources = own }
        return package.dialectProblem(with: version.version, tree: version.tree, made: made)
    }

    /// The layouts, beside seed 000's, that archives of its versions are needed in.
    package var dialectLayouts: Set<Layout> { Set(dialects.compactMap(\.rules.layout)) }
}

extension PlatformError {
    /// For what a dialect's clients cannot have, where nothing is being uploaded.
    package init(_ problem: DialectProblem) {
        self.init(.conflict, problem.message, entry: problem.path?.text, reason: Self.dialectReason)
    }

    /// Why a version was refused that a dialect's clients cannot have.
    package static let dialectReason = "dialect"
}
