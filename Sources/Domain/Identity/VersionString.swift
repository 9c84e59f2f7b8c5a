/// The name of a version: `[A-Za-z0-9][A-Za-z0-9._+-]{0,63}` without `..`, unique in its package regardless of case.
///
/// It is never put in order here: what came later is what was published or released later.
package struct VersionString: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// What a version string may consist of, as a message says it after a colon.
    package static let shape = IdentifierGrammar.versionString.shape

    /// Fails where the text does not have the shape.
    package init?(_ text: String) {
        guard IdentifierGrammar.versionString.accepts(text) else { return nil }
        self.text = text
    }

    /// The string in the form in which it is unique.
    package var folded: String { text.lowercased() }

    package var description: String { text }
}
