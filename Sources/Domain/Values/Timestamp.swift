/// An instant on the wall clock, in Unix milliseconds.
package struct Timestamp: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    package func adding(milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: self.milliseconds + milliseconds)
    }

    package var description: String { rfc3339 }
}

extension Timestamp {
    /// The instant in UTC by RFC 3339, with milliseconds only where there are some.
    package var rfc3339: String {
        let (days, inDay) = milliseconds.quotientAndRemainderFloored(by: 86_400_000)
        let (year, month, day) = CivilDate.fromDays(days)
        let seconds = inDay / 1000
        let fraction = inDay % 1000
        let date = "\(pad(year, 4))-\(pad(Int64(month), 2))-\(pad(Int64(day), 2))"
        let time = "\(pad(seconds / 3600, 2)):\(pad(seconds / 60 % 60, 2)):\(pad(seconds % 60, 2))"
        return fraction == 0 ? "\(date)T\(time)Z" : "\(date)T\(time).\(pad(fraction, 3))Z"
    }

    /// Reads RFC 3339 with any offset, years 1970 to 9999; digits past the millisecond are dropped.
    ///
    /// A leap second counts as the second after it.
    package init?(rfc3339 text: String) {
        var scanner = DigitScanner(Array(text.utf8))
        guard
            let year = scanner.number(digits: 4), scanner.skip("-"), let month = scanner.number(digits: 2),
            scanner.skip("-"), let day = scanner.number(digits: 2), scanner.skip("Tt "),
            let hour = scanner.number(digits: 2), scanner.skip(":"), let minute = scanner.number(digits: 2),
            scanner.skip(":"), let second = scanner.number(digits: 2),
            (1970...9999).contains(year), (1...12).contains(month),
            (1...CivilDate.daysInMonth(month, of: year)).contains(day), hour < 24, minute < 60, second <= 60,
            let fraction = scanner.fraction(), let offset = scanner.offset(), scanner.isAtEnd
        else { return nil }
        let days = CivilDate.days(year: Int64(year), month: month, day: day)
        let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second) - Int64(offset * 60)
        // An offset may lead out of the years that can be written again.
        guard (0..<Self.endOfYears).contains(seconds) else { return nil }
        self.init(milliseconds: seconds * 1000 + Int64(fraction))
    }

    /// 10000-01-01T00:00:00Z in seconds.
    private static let endOfYears: Int64 = 253_402_300_800

    private func pad(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}

extension Int64 {
    fileprivate func quotientAndRemainderFloored(by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// Reads the fixed-width parts of a time.
private struct DigitScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func number(digits: Int) -> Int? {
        guard position + digits <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[position..<position + digits] {
            guard IdentifierGrammar.isDigit(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        position += digits
        return value
    }

    mutating func skip(_ any: String) -> Bool {
        guard position < bytes.count, any.utf8.contains(bytes[position]) else { return false }
        position += 1
        return true
    }

    /// Milliseconds: 0 where there is no fraction, `nil` where a dot has no digit after it.
    mutating func fraction() -> Int? {
        guard skip(".") else { return 0 }
        var value = 0
        var count = 0
        while let digit = number(digits: 1) {
            if count < 3 { value = value * 10 + digit }
            count += 1
        }
        guard count > 0 else { return nil }
        while count < 3 {
            value *= 10
            count += 1
        }
        return value
    }

    /// Minutes east of UTC.
    mutating func offset() -> Int? {
        if skip("Zz") { return 0 }
        guard position < bytes.count else { return nil }
        let sign = bytes[position] == UInt8(ascii: "-") ? -1 : 1
        guard skip("+-"), let hours = number(digits: 2), skip(":"), let minutes = number(digits: 2), hours < 24,
            minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
