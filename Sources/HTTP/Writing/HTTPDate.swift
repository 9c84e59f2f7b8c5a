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
        let days = secondsSinceEpoch.flooredQuotient(by: 86_400)
        let second = secondsSinceEpoch - days * 86_400
        let (year, month, day) = Self.calendar(days: days)
        var text = Array(Self.weekdays[Self.weekday(days: days)].utf8)
        text += [ASCII.comma, ASCII.space]
        Self.append(day, digits: 2, to: &text)
        text.append(ASCII.space)
        text += Self.months[month - 1].utf8
        text.append(ASCII.space)
        Self.append(year, digits: 4, to: &text)
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

    static func weekday(days: Int) -> Int {
        let weekday = (days + 4) % 7
        return weekday < 0 ? weekday + 7 : weekday
    }

    /// Returns the days from the epoch to a date of the Gregorian calendar, computed with years that begin in March.
    static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.flooredQuotient(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func calendar(days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

extension Int {
    fileprivate func flooredQuotient(by divisor: Int) -> Int {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
