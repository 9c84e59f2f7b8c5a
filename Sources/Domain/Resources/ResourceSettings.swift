package import Ground

/// The settings of one package for seed 004's clients, which its article calls server configuration (semantics.md §12).
package struct ResourceSettings: Sendable, Hashable {
    /// The rules, of which the first one that matches a file applies.
    package var rules: [ResourceRule]
    package var timeFormat: TimeFormat
    /// The lowest version that gets text patches; `nil` for the most recently released ones (``PatchCoverage/baseCount``).
    package var diffFrom: VersionString?
    /// The limit on the characters of a text patch; a longer one is omitted (clients.md P3).
    package var diffLimit: Int

    /// The format of instants (clients.md P4); a string in either case, like in the article.
    package enum TimeFormat: String, Sendable, CaseIterable {
        case rfc3339
        case epochMilliseconds = "epoch-ms"

        package func text(_ instant: Timestamp) -> String {
            switch self {
            case .rfc3339: instant.rfc3339
            case .epochMilliseconds: String(instant.milliseconds)
            }
        }
    }

    package static let maximumRules = 200
    /// The limit on the bytes of all settings as JSON.
    package static let maximumBytes = 64 << 10
    package static let standardDiffLimit = 5000
    package static let maximumDiffLimit = 20_000

    package init(
        rules: [ResourceRule] = [], timeFormat: TimeFormat = .rfc3339, diffFrom: VersionString? = nil,
        diffLimit: Int = standardDiffLimit
    ) {
        self.rules = rules
        self.timeFormat = timeFormat
        self.diffFrom = diffFrom
        self.diffLimit = diffLimit
    }

    /// Returns the rule of a file; `nil` if none matches.
    package func rule(of path: TreePath) -> ResourceRule? { rules.first { $0.files.matches(path) } }

    /// Returns whether clients that have a version get text patches from it.
    ///
    /// - Parameter recent: The most recently released versions.
    package func patches(from version: VersionString, recent: [VersionString]) -> Bool {
        guard let lowest = diffFrom.flatMap({ DottedVersion($0.text) }) else { return recent.contains(version) }
        return DottedVersion(version.text).map { $0 >= lowest } ?? false
    }
}
