import Ground

/// An instant in seconds in the format of HTTP (RFC 9110 §5.6.7).
package struct HTTPDate: Hashable, Comparable, Sendable {
    package var secondsSinceEpoch: Int

    package init(secondsSinceEpoch: Int) {
        self.secondsSinceEpoch = secondsSinceEpoch
    }

    package static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }

    /// The IMF-fixdate of 29 bytes, for years from 0 to 9999.
    package var bytes: [UInt8] {
        let (days, second) = secondsSinceEpoch.dividedRoundingDown(by: 86_400)
        let date = CivilDate(daysSinceEpoch: days)
        var text = Array(Self.weekdays[date.weekday].utf8)
        text += [ASCII.comma, ASCII.space]
        Self.append(date.day, digits: 2, to: &text)
        text.append(ASCII.space)
        text += Self.months[date.month - 1].utf8
        text.append(ASCII.space)
        Self.append(date.year, digits: 4, to: &text)
        text.append(ASCII.space)
        Self.append(second / 3_600, digits: 2, to: &text)
        text.append(ASCII.colon)
        Self.append(second / 60 % 60, digits: 2, to: &text)
        text.append(ASCII.colon)
        Self.append(second % 60, digits: 2, to: &text)
        text += " GMT".utf8
        return text
    }
}

extension HTTPDate: CustomStringConvertible {
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension HTTPDate {
    static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func append(_ value: Int, digits: Int, to text: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            text.append(0x30 + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }
}
