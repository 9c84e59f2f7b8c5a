/// The id of a package: `[A-Za-z0-9][A-Za-z0-9._-]{0,63}` without `..`, unique in its app regardless of case.
package struct PackageID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String

    /// What a package id may consist of, as a message says it after a colon.
    package static let shape = IdentifierGrammar.packageName.shape

    /// Fails where the text does not have the shape.
    package init?(_ text: String) {
        guard IdentifierGrammar.packageName.accepts(text) else { return nil }
        self.text = text
    }

    /// The id in the form in which it is unique.
    package var folded: String { text.lowercased() }

    package static func < (left: PackageID, right: PackageID) -> Bool { left.text < right.text }

    package var description: String { text }
}
