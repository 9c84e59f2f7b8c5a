import Ground
import Testing

struct CivilDateTests {
    @Test(arguments: [
        (1970, 1, 1, 0, 4), (1969, 12, 31, -1, 3), (2000, 2, 29, 11_016, 2), (2000, 3, 1, 11_017, 3),
        (1900, 2, 28, -25_509, 3), (1900, 3, 1, -25_508, 4), (0, 2, 29, -719_469, 2), (9999, 12, 31, 2_932_896, 5),
    ])
    func `a date is a number of days, and has a day of the week`(
        year: Int, month: Int, day: Int, days: Int, weekday: Int
    ) {
        let date = CivilDate(year: year, month: month, day: day)
        #expect(date.daysSinceEpoch == days)
        #expect(CivilDate(daysSinceEpoch: days) == date)
        #expect(date.weekday == weekday)
    }

    @Test func `every day follows the one before`() {
        var expected = CivilDate(year: -401, month: 1, day: 1)
        let first = expected.daysSinceEpoch
        for days in first..<first + 800 * 366 {
            #expect(CivilDate(daysSinceEpoch: days) == expected)
            if expected.day < expected.daysInMonth {
                expected = CivilDate(year: expected.year, month: expected.month, day: expected.day + 1)
            } else if expected.month < 12 {
                expected = CivilDate(year: expected.year, month: expected.month + 1, day: 1)
            } else {
                expected = CivilDate(year: expected.year + 1, month: 1, day: 1)
            }
        }
    }
}
