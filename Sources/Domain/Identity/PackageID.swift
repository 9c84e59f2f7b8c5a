/// The id of a package: `[A-Za-z0-9][A-Za-z0-9._-]{0,63}` without `..`, unique in its app regardless of case.
package struct PackageID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String

    /// The grammar of package ids in words, for messages.
    package static let shape = IdentifierGrammar.packageName.shape

    /// Fails unless the text matches the grammar.
    package init?(_ text: String) {
        guard IdentifierGrammar.packageName.accepts(text) else { return nil }
        self.text = text
    }

    /// The id in lower case, the form that is unique.
    package var folded: String { text.lowercased() }

    package static func < (left: PackageID, right: PackageID) -> Bool { left.text < right.text }

    package var description: String { text }
}
