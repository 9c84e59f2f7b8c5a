package import Ground

/// A text of reports of which a package has a limited number.
package enum ReportLabelKind: String, Sendable, CaseIterable {
    case reason
    case platform
    case appVersion = "app-version"

    /// The texts that a package may have; further ones count as ``ReportTotal/other``.
    package var limit: Int {
        switch self {
        case .reason, .appVersion: 200
        case .platform: 16
        }
    }
}

/// The texts of one kind under which reports of a package count.
///
/// Devices may send any text. A new one replaces a text that was not reported for its ``lifetime``. Texts that operators
/// have registered always count.
package struct ReportLabels: Sendable, Equatable {
    /// The milliseconds after which an unreported text may be replaced.
    package static let lifetime: Int64 = 30 * 86_400_000
    /// The interval in milliseconds at which the use of a text is recorded.
    package static let renewal: Int64 = 86_400_000

    private let limit: Int
    private let registered: Set<String>
    /// The times of the last recorded use.
    private var used: [String: Timestamp]
    /// The recorded uses that changed; `nil` for a removed text.
    package private(set) var changes: [String: Timestamp?] = [:]

    /// - Parameters:
    ///   - used: The times of the last recorded use of the known texts.
    ///   - registered: The texts that count beyond the limit.
    package init(_ kind: ReportLabelKind, used: [String: Timestamp] = [:], registered: Set<String> = []) {
        limit = kind.limit
        self.registered = registered
        self.used = used
    }

    /// Returns the text under which a report counts.
    package mutating func admit(_ text: String?, at now: Timestamp) -> String {
        guard let text, text != ReportTotal.other, !registered.contains(text) else { return text ?? "" }
        if let last = used[text] {
            // A clock that was far ahead may have recorded a use.
            if abs(now.milliseconds - last.milliseconds) >= Self.renewal { record(text, at: now) }
            return text
        }
        if used.count >= limit {
            let oldest = used.min { one, other in (one.value, one.key) < (other.value, other.key) }
            guard let oldest, abs(now.milliseconds - oldest.value.milliseconds) >= Self.lifetime else {
                return ReportTotal.other
            }
            used[oldest.key] = nil
            changes[oldest.key] = .some(nil)
        }
        record(text, at: now)
        return text
    }

    /// Forgets the changes, which have been stored.
    package mutating func forgetChanges() { changes = [:] }

    private mutating func record(_ text: String, at now: Timestamp) {
        used[text] = now
        changes[text] = now
    }
}
