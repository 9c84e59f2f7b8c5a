/// The id of a host app: `[a-z0-9][a-z0-9-]{0,62}`.
package struct AppID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String

    /// What an app id may consist of, as a message says it after a colon.
    package static let shape = IdentifierGrammar.lowercaseName.shape

    /// Fails where the text does not have the shape.
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
