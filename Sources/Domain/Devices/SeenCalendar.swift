/// The days on which a server ran, by which the records of devices age (decision 0072).
///
/// A clock that jumps ahead adds one day, however far it jumps, so records survive it.
package struct SeenCalendar: Sendable, Equatable {
    /// The days for which records of devices are kept, and those if the server records as many as it may.
    package static let days = 30
    package static let daysIfFull = SeenWindow.days
    /// The days for which the daily numbers of devices by version are kept.
    package static let adoptionDays = 400
    /// The number of days by which a record may lie in the future, written while the clock was ahead.
    package static let daysAhead = 1

    /// The days, counted from 1970, in falling order.
    private let days: [UInt16]

    package init(_ days: some Sequence<UInt16>) {
        self.days = Set(days).sorted(by: >)
    }

    /// Returns the days for which records are kept.
    ///
    /// Records of devices that have not come back must not keep new devices out for a month.
    package static func days(of devices: Int, limit: Int) -> Int { devices < limit ? days : daysIfFull }

    /// Whether the clock is behind: the server ran on more days after `today` than until then.
    ///
    /// A machine without a clock of its own may begin in 1970. Fewer later days are those of a clock that was ahead, so
    /// the answer is `false` again after as many days.
    package func isBehind(on today: UInt16) -> Bool {
        let later = days.count { Int($0) > Int(today) + Self.daysAhead }
        return later > Set(days).union([today]).count - later
    }

    /// Returns the oldest day whose records are kept: after it, the server ran on at most `count` days up to `today`.
    package func oldestKept(keeping count: Int, on today: UInt16) -> UInt16 {
        let past = days.filter { $0 < today }
        guard count > 0 else { return today }
        return past.count < count ? 0 : past[count - 1]
    }
}
