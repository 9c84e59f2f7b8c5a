/// A range of versions: `>=8.3 <9`, `^1.2`, `~1.2.3`, `8.x`, `1.0 - 2.0`, and alternatives of these with `||`.
///
/// A version with fewer than three numbers stands for all versions that begin with it, like in node's semver: `8.3` is
/// every 8.3, `>8.3` begins with 8.4. `<9` excludes pre-releases of 9, like in PEP 440.
package struct VersionRange: Sendable, Hashable, CustomStringConvertible {
    /// The text of the range.
    package let text: String
    private let alternatives: [[Bound]]

    /// The limit on the bytes of the text.
    package static let maximumLength = 256
    /// The format in words, for messages.
    package static let shape = "a range of versions, such as \">=8.3 <9\", \"^8.3\", \"8.x\" or \"7.1 || >=8\""

    /// Fails if the text is not a range.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        var alternatives: [[Bound]] = []
        for (index, part) in text.split(separator: "|", omittingEmptySubsequences: false).enumerated() {
            // The text between the two bars of `||` must be empty.
            guard index % 2 == 0 else {
                guard part.isEmpty else { return nil }
                continue
            }
            guard let bounds = Bound.all(in: part) else { return nil }
            alternatives.append(bounds)
        }
        guard text.utf8.count(where: { $0 == UInt8(ascii: "|") }) % 2 == 0 else { return nil }
        self.text = text
        self.alternatives = alternatives
    }

    /// Creates the range from one version to another; `nil` leaves that side open.
    package init?(from lowest: String?, through highest: String?) {
        let bounds = [lowest.map { ">=\($0)" }, highest.map { "<=\($0)" }].compactMap { $0 }
        self.init(bounds.isEmpty ? "*" : bounds.joined(separator: " "))
    }

    package func contains(_ version: OrderedVersion) -> Bool {
        alternatives.contains { bounds in bounds.allSatisfy { $0.holds(version) } }
    }

    package var description: String { text }
}

/// A bound on the versions of a range.
private enum Bound: Sendable, Hashable {
    case atLeast(OrderedVersion)
    case above(OrderedVersion)
    case atMost(OrderedVersion)
    case below(OrderedVersion)

    func holds(_ version: OrderedVersion) -> Bool {
        switch self {
        case .atLeast(let bound): version >= bound
        case .above(let bound): version > bound
        case .atMost(let bound): version <= bound
        case .below(let bound): version < bound && (bound.isPrerelease || !version.isPrerelease(of: bound))
        }
    }

    /// Returns the bounds of one alternative; `nil` if the text is invalid.
    static func all(in text: Substring) -> [Bound]? {
        let words = text.split(separator: " ")
        if words.count == 3, words[1] == "-" {
            guard let low = Partial(words[0]), let high = Partial(words[2]) else { return nil }
            return bounds(">=", low) + bounds("<=", high)
        }
        var bounds: [Bound] = []
        var pending: Substring?
        for word in words {
            let sign = pending ?? word.prefix { "<>=^~".contains($0) }
            let rest = pending == nil ? word.dropFirst(sign.count) : word
            guard !rest.isEmpty else {
                pending = sign
                continue
            }
            pending = nil
            guard signs.contains(String(sign)), let partial = Partial(rest) else { return nil }
            bounds += Self.bounds(String(sign), partial)
        }
        // Empty text is invalid, since it would match every version: `*` does that.
        return pending == nil && !words.isEmpty ? bounds : nil
    }

    private static let signs: Set<String> = ["", "=", "<", "<=", ">", ">=", "^", "~"]

    private static func bounds(_ sign: String, _ partial: Partial) -> [Bound] {
        guard let version = partial.version else { return sign == "<" || sign == ">" ? [.below(.lowest)] : [] }
        switch sign {
        case ">=": return [.atLeast(version)]
        case "<": return [.below(version)]
        case ">": return [partial.end.map { .atLeast($0) } ?? .above(version)]
        case "<=": return [partial.end.map { .below($0) } ?? .atMost(version)]
        case "^": return [.atLeast(version), .below(version.bumped(at: partial.caretPosition))]
        case "~": return [.atLeast(version), .below(version.bumped(at: min(1, partial.count - 1)))]
        default: return partial.end.map { [.atLeast(version), .below($0)] } ?? [.atLeast(version), .atMost(version)]
        }
    }
}

/// A version whose last numbers may be missing or written as `x` or `*`.
private struct Partial {
    /// The version; `nil` if no number is given.
    let version: OrderedVersion?
    /// The number of given numbers.
    let count: Int
    private let isOpen: Bool

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let wildcard = parts.firstIndex(where: { ["x", "X", "*"].contains(String($0)) }) else {
            guard let version = OrderedVersion(String(text)) else { return nil }
            self.version = version
            count = version.writtenNumbers
            isOpen = count < 3 && !version.isPrerelease
            return
        }
        guard parts[wildcard...].allSatisfy({ ["x", "X", "*"].contains(String($0)) }) else { return nil }
        count = wildcard
        isOpen = true
        guard wildcard > 0 else {
            version = nil
            return
        }
        guard let version = OrderedVersion(parts[..<wildcard].joined(separator: ".")), !version.isPrerelease else {
            return nil
        }
        self.version = version
    }

    /// The first version that does not begin with the given numbers; `nil` if all numbers are given.
    var end: OrderedVersion? { isOpen ? version?.bumped(at: count - 1) : nil }

    /// The index of the first number that is not zero, up to which versions are compatible.
    var caretPosition: Int {
        guard let version else { return 0 }
        return (0..<count).first { version.number(at: $0) != .zero } ?? count - 1
    }
}

extension OrderedVersion {
    /// The lowest bound: only other pre-releases of zero are below it.
    fileprivate static let lowest = OrderedVersion([], prerelease: [.number(.zero)])
}
