import Ground

/// A share in hundredths of a percent, from 0 to 10,000.
package struct BasisPoints: Hashable, Sendable, Comparable {
    package let value: Int

    package static let none = BasisPoints(known: 0)
    package static let all = BasisPoints(known: 10_000)
    /// The format of a percentage in words, for messages.
    package static let shape = "a percentage from 0 to 100 with at most two digits after the point, such as 2.5"

    /// Fails outside of 0 to 10,000.
    package init?(_ value: Int) {
        guard (0...10_000).contains(value) else { return nil }
        self.value = value
    }

    private init(known value: Int) { self.value = value }

    /// Parses a percentage as JSON writes it; fails for text that ``shape`` does not describe.
    package init?(percent text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), (1...3).contains(parts[0].utf8.count), let whole = Self.digits(parts[0])
        else { return nil }
        var hundredths = 0
        if parts.count == 2 {
            guard (1...2).contains(parts[1].utf8.count), let digits = Self.digits(parts[1]) else { return nil }
            hundredths = parts[1].utf8.count == 1 ? digits * 10 : digits
        }
        self.init(whole * 100 + hundredths)
    }

    private static func digits(_ text: Substring) -> Int? {
        text.utf8.allSatisfy(ASCII.isDigit) ? Int(text) : nil
    }

    /// The percentage, with as many fraction digits as it needs.
    package var percent: String {
        let (whole, hundredths) = value.quotientAndRemainder(dividingBy: 100)
        if hundredths == 0 { return String(whole) }
        return "\(whole)."
            + (hundredths % 10 == 0 ? String(hundredths / 10) : (hundredths < 10 ? "0" : "") + String(hundredths))
    }

    package static func < (left: BasisPoints, right: BasisPoints) -> Bool { left.value < right.value }
}
