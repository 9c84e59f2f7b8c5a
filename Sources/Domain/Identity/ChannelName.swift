/// The name of a channel: `[a-z0-9][a-z0-9-]{0,62}`.
package struct ChannelName: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String

    /// The grammar of channel names in words, for messages.
    package static let shape = IdentifierGrammar.lowercaseName.shape

    /// Fails unless the text matches the grammar.
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
