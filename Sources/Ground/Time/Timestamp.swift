/// An instant on the wall clock, in Unix milliseconds.
///
/// Public, since the compiler inlines only public functions into other modules.
public struct Timestamp: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The milliseconds since the beginning of 1970 in UTC.
    public let milliseconds: Int64

    /// Creates an instant from Unix milliseconds.
    @inlinable public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Returns whether an instant is before another one.
    @inlinable public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// Returns the instant that many milliseconds later, or earlier for a negative number.
    @inlinable public func adding(milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: self.milliseconds + milliseconds)
    }

    /// The instant by RFC 3339.
    public var description: String { rfc3339 }
}

extension Timestamp {
    /// The instant in UTC by RFC 3339; milliseconds are omitted if they are zero.
    package var rfc3339: String {
        let (days, inDay) = Int(milliseconds).dividedRoundingDown(by: 86_400_000)
        let day = CivilDate(daysSinceEpoch: days)
        let seconds = inDay / 1000
        let fraction = inDay % 1000
        let date = "\(pad(day.year, 4))-\(pad(day.month, 2))-\(pad(day.day, 2))"
        let time = "\(pad(seconds / 3600, 2)):\(pad(seconds / 60 % 60, 2)):\(pad(seconds % 60, 2))"
        return fraction == 0 ? "\(date)T\(time)Z" : "\(date)T\(time).\(pad(fraction, 3))Z"
    }

    /// Parses RFC 3339 with any offset, years 1970 to 9999; drops digits past the millisecond.
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
            case let date = CivilDate(year: year, month: month, day: day), (1...date.daysInMonth).contains(day),
            hour < 24, minute < 60, second <= 60,
            let fraction = scanner.fraction(), let offset = scanner.offset(), scanner.isAtEnd
        else { return nil }
        let seconds = date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second - offset * 60
        // An offset may lead out of the years that RFC 3339 can express.
        guard (0..<Self.endOfYears).contains(seconds) else { return nil }
        self.init(milliseconds: Int64(seconds * 1000 + fraction))
    }

    /// The instant 10000-01-01T00:00:00Z in seconds.
    private static let endOfYears = 253_402_300_800

    private func pad(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}

/// A scanner of the fixed-width parts of a time.
private struct DigitScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func number(digits: Int) -> Int? {
        guard position + digits <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[position..<position + digits] {
            guard ASCII.isDigit(byte) else { return nil }
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

    /// Parses a fraction to milliseconds; returns 0 without a fraction, and `nil` for a dot without a digit.
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

    /// Parses an offset to minutes east of UTC.
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
