/// A condition of a release on one fact of a device; a missing fact meets no rule, not even `notIn`.
///
/// Texts are compared without regard to case. A class, because decisions reference the failed rule thousands of times
/// for one response.
package final class AudienceRule: Sendable, Hashable {
    package let fact: Fact
    package let test: Test

    package enum Test: Sendable, Hashable {
        case isIn([String])
        case notIn([String])
        case range(VersionRange)
        case prefix([String])
    }

    /// The limit on the rules of a release.
    package static let maximumCount = 32
    /// The limit on the values of a rule.
    package static let maximumValues = 256

    /// The values of ``test`` in lower case and in order; empty for a range.
    private let folded: [String]

    package init(_ fact: Fact, _ test: Test) {
        self.fact = fact
        self.test = test
        switch test {
        case .isIn(let values), .notIn(let values), .prefix(let values): folded = values.map { $0.lowercased() }
        case .range: folded = []
        }
    }

    package static func == (left: AudienceRule, right: AudienceRule) -> Bool {
        left.fact == right.fact && left.test == right.test
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(fact)
        hasher.combine(test)
    }

    /// Returns whether a device meets the rule.
    package func isMet(by facts: DeviceFacts) -> Bool {
        guard let value = facts.value(of: fact) else { return false }
        switch test {
        case .isIn: return folded.contains(value.folded)
        case .notIn: return !folded.contains(value.folded)
        case .prefix: return folded.contains { value.folded.hasPrefix($0) }
        case .range(let range): return value.ordered.map(range.contains) ?? false
        }
    }
}

extension AudienceRule: CustomStringConvertible {
    package var description: String {
        switch test {
        case .isIn(let values): "\(fact) in \(Self.list(values))"
        case .notIn(let values): "\(fact) not in \(Self.list(values))"
        case .prefix(let values): "\(fact) begins with \(Self.list(values))"
        case .range(let range): "\(fact) \(range)"
        }
    }

    private static func list(_ values: [String]) -> String {
        values.count == 1 ? values[0] : values.joined(separator: ", ")
    }
}
