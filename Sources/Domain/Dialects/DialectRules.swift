/// The pure rules of a dialect, checked when the dialect is turned on, at every later publishing and at every release.
package protocol DialectRules: Sendable {
    var dialect: Dialect { get }
    /// The layout in which its clients download a version; `nil` if they download single files.
    var layout: Layout? { get }

    /// Returns the reason why its clients cannot have any version of the package.
    func problem(with package: Package) -> DialectProblem?

    /// Returns the reason why its clients cannot have a version.
    ///
    /// - Parameters:
    ///   - tree: The tree of the version, as it was uploaded.
    ///   - made: The layouts in which the version has an archive, whose names were checked when it was made.
    func problem(
        with version: VersionString, tree: Tree, of package: Package, made: Set<Layout>
    ) -> DialectProblem?

    /// Returns whether a package changed settings that require new preparations for the dialect.
    func needsPreparation(of package: Package, since old: Package) -> Bool

    /// Returns whether its clients open `index.html` where the page of a killed package is not.
    ///
    /// - Parameter entry: The path of that page in lower case, which is not `index.html`.
    func opensIndex(beside entry: String) -> Bool

    /// Describes what its clients do about a withdrawal, to follow "The client …".
    func effect(of withdrawal: Withdrawal) -> String
}

extension DialectRules {
    package func problem(with package: Package) -> DialectProblem? { nil }
    package func needsPreparation(of package: Package, since old: Package) -> Bool { false }
}

/// The reason why a dialect's clients cannot have a package or a version of it.
package struct DialectProblem: Sendable, Equatable {
    /// A sentence that names the fault and the remedy.
    package let message: String
    /// The file at fault, or the missing one.
    package let path: TreePath?

    package init(_ message: String, path: TreePath? = nil) {
        self.message = message
        self.path = path
    }
}

extension PlatformError {
    /// The error for a problem that no upload caused.
    package init(_ problem: DialectProblem) {
        self.init(.conflict, problem.message, entry: problem.path?.text, reason: Self.dialectReason)
    }

    /// The reason of a refusal by a dialect.
    package static let dialectReason = "dialect"
}
