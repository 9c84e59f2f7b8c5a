/// The requirements of a dialect's clients on a package.
///
/// These pure rules are checked when the dialect is turned on, at every later publishing and at every release.
package protocol DialectRules: Sendable {
    /// The layout of the archives that clients download; `nil` if they download single files.
    var layout: Layout? { get }

    /// Returns the problem of the clients with a package, regardless of its versions.
    func problem(with package: Package) -> DialectProblem?

    /// Returns the problem of the clients with a version.
    ///
    /// - Parameters:
    ///   - tree: The version's tree as uploaded.
    ///   - made: The layouts in which the version has an archive, whose names were checked when it was made.
    func problem(
        with version: VersionString, tree: Tree, of package: Package, made: Set<Layout>
    ) -> DialectProblem?
}

/// The reason why a dialect's clients cannot use a package or a version.
package struct DialectProblem: Sendable, Equatable {
    /// A sentence that names the fault and the remedy.
    package let message: String
    /// The faulty or missing file.
    package let path: TreePath?

    package init(_ message: String, path: TreePath? = nil) {
        self.message = message
        self.path = path
    }
}

extension Package {
    /// The first problem of its dialects' clients with the package itself.
    package var dialectProblem: DialectProblem? {
        dialects.sorted().lazy.compactMap { $0.rules.problem(with: self) }.first
    }

    /// Returns the first problem of its dialects' clients with a version.
    package func dialectProblem(
        with version: VersionString, tree: Tree, made: Set<Layout> = []
    ) -> DialectProblem? {
        dialects.sorted().lazy.compactMap { $0.rules.problem(with: version, tree: tree, of: self, made: made) }.first
    }

    /// Returns the first problem of its dialects' clients with a version, by the version's own settings.
    package func dialectProblem(with version: Version, made: Set<Layout> = []) -> DialectProblem? {
        var package = self
        if let own = version.resources { package.resources = own }
        return package.dialectProblem(with: version.version, tree: version.tree, made: made)
    }

    /// The layouts, besides seed 000's, in which its versions need archives.
    package var dialectLayouts: Set<Layout> { Set(dialects.compactMap(\.rules.layout)) }
}

extension PlatformError {
    /// Creates the error for a problem outside of an upload.
    package init(_ problem: DialectProblem) {
        self.init(.conflict, problem.message, entry: problem.path?.text, reason: Self.dialectReason)
    }

    /// The reason in the error for a version that a dialect's clients cannot use.
    package static let dialectReason = "dialect"
}
