import Ground

/// The format of durations in plans: a whole number and `s`, `m`, `h` or `d`.
package enum PlanDuration {
    /// The format in words, for messages.
    package static let shape = "a duration such as \"0s\", \"90m\", \"2h\" or \"3d\", at most a year"

    private static let units: [(letter: Character, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000),
    ]

    /// Returns the milliseconds; `nil` for text that ``shape`` does not describe.
    package static func milliseconds(_ text: String) -> Int64? {
        guard let unit = units.first(where: { $0.letter == text.last }) else { return nil }
        let digits = text.dropLast()
        guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy(ASCII.isDigit),
            let count = Int64(digits)
        else { return nil }
        let milliseconds = count * unit.milliseconds
        return milliseconds <= Rollout.maximumAfter ? milliseconds : nil
    }

    /// Returns the duration in the largest unit that divides it.
    package static func text(_ milliseconds: Int64) -> String {
        guard milliseconds != 0, let unit = units.first(where: { milliseconds % $0.milliseconds == 0 }) else {
            return "\(milliseconds / 1000)s"
        }
        return "\(milliseconds / unit.milliseconds)\(unit.letter)"
    }
}
