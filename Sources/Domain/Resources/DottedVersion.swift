import Ground

/// A version string of dotted numbers of any length, ordered by its numbers (semantics.md §1).
package struct DottedVersion: Sendable, Comparable {
    /// The numbers without trailing zeros, so that `1.0` and `1.0.0` are equal.
    private let parts: [Int64]

    /// Fails unless the text consists of dotted numbers of at most 18 digits each.
    package init?(_ text: String) {
        var parts: [Int64] = []
        for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard (1...18).contains(part.count), part.allSatisfy(ASCII.isDigit),
                let number = Int64(String(Substring(part)))
            else { return nil }
            parts.append(number)
        }
        while parts.last == 0 { parts.removeLast() }
        self.parts = parts
    }

    package static func < (left: DottedVersion, right: DottedVersion) -> Bool {
        left.parts.lexicographicallyPrecedes(right.parts)
    }
}
