import Ground

/// A pattern of paths: `*` matches any characters within a part, `?` one character, and the part `**` any number of
/// parts.
package struct PathGlob: Sendable, Hashable, CustomStringConvertible {
    /// The limit on the UTF-8 bytes of a pattern.
    package static let maximumLength = 256

    private let text: String
    private let parts: [Part]

    private enum Part: Sendable, Hashable {
        case anyParts
        case name([Unicode.Scalar])
    }

    /// Fails for an invalid pattern.
    ///
    /// A pattern is neither empty nor too long, begins and ends without a slash, and has no empty part, backslash or
    /// control character; `**` is a whole part.
    package init?(_ raw: String) {
        let text = Normalization.nfc(raw)
        guard (1...Self.maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") })
        else { return nil }
        var parts: [Part] = []
        for part in text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false) {
            guard !part.isEmpty else { return nil }
            if part.elementsEqual("**".unicodeScalars) {
                if parts.last != .anyParts { parts.append(.anyParts) }
            } else {
                guard !zip(part, part.dropFirst()).contains(where: { $0 == "*" && $1 == "*" }) else { return nil }
                parts.append(.name(Array(part)))
            }
        }
        self.text = text
        self.parts = parts
    }

    /// Returns whether a path matches; takes time proportional to the product of both lengths at most.
    package func matches(_ path: TreePath) -> Bool {
        let names = path.parts.map { Array($0.unicodeScalars) }
        return Self.matches(parts, names, isAny: { $0 == .anyParts }) { part, name in
            guard case .name(let pattern) = part else { return false }
            return Self.matches(pattern, name, isAny: { $0 == "*" }) { $0 == "?" || $0 == $1 }
        }
    }

    /// Matches items with backtracking to the last wildcard only, since earlier ones cannot improve the match.
    private static func matches<Symbol, Item>(
        _ pattern: [Symbol], _ items: [Item], isAny: (Symbol) -> Bool, one: (Symbol, Item) -> Bool
    ) -> Bool {
        var (symbol, item) = (0, 0)
        var retry: (symbol: Int, item: Int)?
        while item < items.count {
            if symbol < pattern.count, isAny(pattern[symbol]) {
                retry = (symbol + 1, item)
                symbol += 1
            } else if symbol < pattern.count, one(pattern[symbol], items[item]) {
                symbol += 1
                item += 1
            } else if let last = retry {
                retry = (last.symbol, last.item + 1)
                (symbol, item) = (last.symbol, last.item + 1)
            } else {
                return false
            }
        }
        return pattern[symbol...].allSatisfy(isAny)
    }

    package static func == (left: PathGlob, right: PathGlob) -> Bool { left.parts == right.parts }
    package func hash(into hasher: inout Hasher) { hasher.combine(parts) }

    package var description: String { text }
}
