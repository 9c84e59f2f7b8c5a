/// The actions of the audit log that a webhook receives.
package struct WebhookEvents: Sendable, Equatable {
    /// The sorted, distinct patterns: an action, a subject with `.*`, or `*`.
    package let patterns: [String]

    /// All actions.
    package static let all = WebhookEvents(stored: ["*"])

    /// The grammar of patterns in words, for messages.
    package static let shape =
        "an array of 1 to \(maximumPatterns) actions of the audit log, such as \"release.make\", \"release.*\" or \"*\""
    package static let maximumPatterns = 50

    /// Fails unless each pattern matches a known action.
    package init?(_ patterns: [String]) {
        guard (1...Self.maximumPatterns).contains(patterns.count), patterns.allSatisfy(Self.isKnown) else { return nil }
        self.init(stored: patterns)
    }

    /// Creates the events of stored patterns, whose actions a later version may have introduced.
    package init(stored patterns: [String]) {
        self.patterns = Set(patterns).sorted()
    }

    package func matches(_ action: String) -> Bool { patterns.contains { Self.matches($0, action) } }

    private static func isKnown(_ pattern: String) -> Bool {
        AuditAction.allCases.contains { matches(pattern, $0.rawValue) }
    }

    private static func matches(_ pattern: String, _ action: String) -> Bool {
        if pattern == "*" || pattern == action { return true }
        return pattern.hasSuffix(".*") && pattern.utf8.count > 2 && action.hasPrefix(pattern.dropLast())
    }
}
