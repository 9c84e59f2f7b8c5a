/// What a release asks of one fact of a device; a fact that was not sent meets no rule, `notIn` included.
///
/// Texts are compared without regard to case. A class, since a rule that says no is told of, thousands of times for one
/// answer.
package final class AudienceRule: Sendable, Hashable {
    package let fact: Fact
    package let test: Test

    package enum Test: Sendable, Hashable {
        case isIn([String])
        case notIn([String])
        case range(VersionRange)
        case prefix([String])
    }

    /// Rules of a release at most.
    package static let maximumCount = 32
    /// Values of a rule at most.
    package static let maximumValues = 256

    /// In the order of ``Test``'s list, in lower case; empty for a range.
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

    /// Whether a device is let through.
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
