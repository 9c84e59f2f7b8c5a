package import Ground

/// What the article of seed 004 has configured at the server, of one package (semantics.md §12).
package struct ResourceSettings: Sendable, Hashable {
    /// The first that matches a file counts.
    package var rules: [ResourceRule]
    package var timeFormat: TimeFormat
    /// The lowest version that gets text patches; `nil` for those that were released last (``PatchPlan/baseCount``).
    package var diffFrom: VersionString?
    /// Characters of a text patch, at most; a longer one is left out (clients.md P3).
    package var diffLimit: Int

    /// How an instant is written (clients.md P4); a string either way, as the article has it.
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
    /// Bytes of all settings as JSON.
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

    /// The rule of a file; `nil` where none matches.
    package func rule(of path: TreePath) -> ResourceRule? { rules.first { $0.files.matches(path) } }

    /// Whether clients that have a version get text patches from it.
    ///
    /// - Parameter recent: The versions that were released last.
    package func patches(from version: VersionString, recent: [VersionString]) -> Bool {
        guard let lowest = diffFrom.flatMap({ DottedVersion($0.text) }) else { return recent.contains(version) }
        return DottedVersion(version.text).map { $0 >= lowest } ?? false
    }
}
