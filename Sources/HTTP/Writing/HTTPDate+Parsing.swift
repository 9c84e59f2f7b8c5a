import Ground

extension HTTPDate {
    /// Reads a date in one of the three forms of RFC 9110 §5.6.7; returns `nil` for anything else.
    ///
    /// `Sun, 06 Nov 1994 08:49:37 GMT` is the current form. The obsolete ones are `Sunday, 06-Nov-94 08:49:37 GMT`,
    /// whose year is from 1970 to 2069, and `Sun Nov  6 08:49:37 1994`.
    package init?(_ text: some Sequence<UInt8>) {
        var text = Text(rest: Array(text)[...])
        guard let weekday = text.takeName(), let date = text.takeDate(behind: weekday), text.rest.isEmpty else {
            return nil
        }
        self = date
    }

    /// The unread rest of a date.
    private struct Text {
        var rest: ArraySlice<UInt8>

        mutating func takeDate(behind weekday: ArraySlice<UInt8>) -> HTTPDate? {
            let isShort = weekday.count == 3
            if isShort, take(" ") { return takeObsoleteC(weekday) }
            guard take(", "), let day = takeNumber(2), take(isShort ? " " : "-"), let month = takeMonth(),
                take(isShort ? " " : "-"), let written = takeNumber(isShort ? 4 : 2), take(" "),
                let second = takeTime(), take(" GMT")
            else { return nil }
            let year = isShort ? written : written + (written < 70 ? 2000 : 1900)
            return HTTPDate(weekday, year: year, month: month, day: day, second: second)
        }

        /// Reads the form of C's `asctime`, in which a space precedes a day of one digit.
        private mutating func takeObsoleteC(_ weekday: ArraySlice<UInt8>) -> HTTPDate? {
            guard let month = takeMonth(), take(" ") else { return nil }
            let isPadded = take(" ")
            guard let day = takeNumber(isPadded ? 1 : 2), take(" "), let second = takeTime(), take(" "),
                let year = takeNumber(4)
            else { return nil }
            return HTTPDate(weekday, year: year, month: month, day: day, second: second)
        }

        mutating func takeName() -> ArraySlice<UInt8>? {
            let name = rest.prefix(while: ASCII.isLetter)
            rest = rest.dropFirst(name.count)
            return name.isEmpty ? nil : name
        }

        private mutating func takeMonth() -> Int? {
            let name = takeName()
            return name.flatMap { name in months.firstIndex { $0.utf8.elementsEqual(name) } }.map { $0 + 1 }
        }

        /// Reads a time as the second of the day; a leap second becomes the first second of the next minute.
        private mutating func takeTime() -> Int? {
            guard let hour = takeNumber(2), take(":"), let minute = takeNumber(2), take(":"),
                let second = takeNumber(2), hour < 24, minute < 60, second <= 60
            else { return nil }
            return hour * 3_600 + minute * 60 + second
        }

        private mutating func takeNumber(_ digits: Int) -> Int? {
            let taken = rest.prefix(digits)
            guard taken.count == digits, taken.allSatisfy(ASCII.isDigit) else { return nil }
            rest = rest.dropFirst(digits)
            return taken.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        private mutating func take(_ text: String) -> Bool {
            guard rest.starts(with: text.utf8) else { return false }
            rest = rest.dropFirst(text.utf8.count)
            return true
        }
    }

    /// Returns `nil` if the calendar lacks the day or the weekday is wrong.
    private init?(_ weekday: ArraySlice<UInt8>, year: Int, month: Int, day: Int, second: Int) {
        let date = CivilDate(year: year, month: month, day: day)
        let names = weekday.count == 3 ? Self.weekdays : Self.longWeekdays
        guard (1...date.daysInMonth).contains(day), names[date.weekday].utf8.elementsEqual(weekday) else {
            return nil
        }
        self.init(secondsSinceEpoch: date.daysSinceEpoch * 86_400 + second)
    }

    private static let longWeekdays = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]
}
