/// The name of a version: `[A-Za-z0-9][A-Za-z0-9._+-]{0,63}` without `..`, unique in its package regardless of case.
///
/// Version strings have no order here: versions are ordered by publishing or release.
package struct VersionString: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// The grammar of version strings in words, for messages.
    package static let shape = IdentifierGrammar.versionString.shape

    /// Fails unless the text matches the grammar.
    package init?(_ text: String) {
        guard IdentifierGrammar.versionString.accepts(text) else { return nil }
        self.text = text
    }

    /// The string in lower case, the form that is unique.
    package var folded: String { text.lowercased() }

    /// Whether the string is a pre-release of Semantic Versioning, such as `3.2.0-rc.1`; a date, such as `2026-11-24`, is none.
    package var isPrerelease: Bool {
        guard let version = OrderedVersion(text) else { return false }
        return version.isPrerelease && version.writtenNumbers > 1
    }

    package var description: String { text }
}
