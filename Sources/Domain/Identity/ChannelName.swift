/// The name of a channel: `[a-z0-9][a-z0-9-]{0,62}`.
package struct ChannelName: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String

    /// What a channel name may consist of, as a message says it after a colon.
    package static let shape = IdentifierGrammar.lowercaseName.shape

    /// Fails where the text does not have the shape.
    package init?(_ text: String) {
        guard IdentifierGrammar.lowercaseName.accepts(text) else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    /// The channel that every app has.
    package static let production = ChannelName(known: "production")

    package static func < (left: ChannelName, right: ChannelName) -> Bool { left.text < right.text }

    package var description: String { text }
}
