/// The requirements of a dialect's clients on a package, and the behavior of these clients.
///
/// These pure rules are checked when the dialect is turned on, at every later publishing and at every release.
package protocol DialectRules: Sendable {
    var dialect: Dialect { get }
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

    /// Returns whether a package changed settings that require new preparations for the dialect.
    func needsPreparation(of package: Package, since old: Package) -> Bool

    /// Returns whether clients open `index.html` of a killed package, although its entry page is another file.
    ///
    /// - Parameter entry: The path of the entry page in lower case.
    func opensIndex(beside entry: String) -> Bool

    /// Returns a description of the clients' behavior after a withdrawal; it continues "The client …".
    func effect(of withdrawal: Withdrawal) -> String
}

extension DialectRules {
    package func problem(with package: Package) -> DialectProblem? { nil }
    package func needsPreparation(of package: Package, since old: Package) -> Bool { false }
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

extension PlatformError {
    /// Creates the error for a problem outside of an upload.
    package init(_ problem: DialectProblem) {
        self.init(.conflict, problem.message, entry: problem.path?.text, reason: Self.dialectReason)
    }

    /// The reason in the error for a version that a dialect's clients cannot use.
    package static let dialectReason = "dialect"
}
