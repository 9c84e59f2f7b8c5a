/// The id of a host app: `[a-z0-9][a-z0-9-]{0,62}`.
package struct AppID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String

    /// The grammar of app ids in words, for messages.
    package static let shape = IdentifierGrammar.lowercaseName.shape

    /// Fails unless the text matches the grammar.
    package init?(_ text: String) {
        guard IdentifierGrammar.lowercaseName.accepts(text) else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    /// The app that every server has from its first start.
    package static let `default` = AppID(known: "default")

    package static func < (left: AppID, right: AppID) -> Bool { left.text < right.text }

    package var description: String { text }
}
