/// A moment to the second, as HTTP writes it (RFC 9110 §5.6.7).
package struct HTTPDate: Hashable, Comparable, Sendable {
    package var secondsSinceEpoch: Int

    package init(secondsSinceEpoch: Int) {
        self.secondsSinceEpoch = secondsSinceEpoch
    }

    /// Reads an IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for anything else.
    ///
    /// The obsolete forms are not read: no client since HTTP/1.1 sends them, and a condition with a date that cannot
    /// be read is passed over.
    package init?(_ text: some Sequence<UInt8>) {
        let bytes = Array(text)
        guard bytes.count == 29, bytes[3] == ASCII.comma, bytes[25...] == [ASCII.space, 0x47, 0x4D, 0x54],
            [4, 7, 11, 16].allSatisfy({ bytes[$0] == ASCII.space }), bytes[19] == ASCII.colon,
            bytes[22] == ASCII.colon,
            let month = Self.months.firstIndex(where: { $0.utf8.elementsEqual(bytes[8..<11]) }),
            let day = Self.number(bytes[5..<7]), let year = Self.number(bytes[12..<16]),
            let hour = Self.number(bytes[17..<19]), let minute = Self.number(bytes[20..<22]),
            let second = Self.number(bytes[23..<25]),
            day >= 1, hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = Self.days(year: year, month: month + 1, day: day)
        self.init(secondsSinceEpoch: days * 86_400 + hour * 3_600 + minute * 60 + second)
        guard Self.calendar(days: days) == (year, month + 1, day),
            Self.weekdays[Self.weekday(days: days)].utf8.elementsEqual(bytes[..<3])
        else { return nil }
    }

    package static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }

    /// The IMF-fixdate, 29 bytes long, for years from 0 to 9999.
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
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for digit in digits {
            guard ASCII.isDigit(digit) else { return nil }
            value = value * 10 + Int(digit - 0x30)
        }
        return value
    }

    private static func append(_ value: Int, digits: Int, to text: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            text.append(0x30 + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }

    private static func weekday(days: Int) -> Int {
        let weekday = (days + 4) % 7
        return weekday < 0 ? weekday + 7 : weekday
    }

    /// Days since the epoch of a date in the Gregorian calendar, counted in years that begin in March.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.flooredQuotient(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func calendar(days: Int) -> (year: Int, month: Int, day: Int) {
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
