package import Ground

/// The period in which a device counts as seen: seven days, by the server's time.
package struct SeenWindow: Sendable, Equatable {
    package static let days = 7
    private static let millisecondsOfDay: Int64 = 86_400_000

    package let instant: Timestamp

    package init(endingAt instant: Timestamp) {
        self.instant = instant
    }

    /// Returns whether a device seen at an instant counts.
    package func contains(_ seenAt: Timestamp, days: Int = Self.days) -> Bool {
        let age = instant.milliseconds - seenAt.milliseconds
        return age <= Int64(days) * Self.millisecondsOfDay
            && age >= -Int64(SeenCalendar.daysAhead) * Self.millisecondsOfDay
    }

    /// The UTC day, counted from 1970.
    package var day: UInt16 { UInt16(clamping: instant.milliseconds / Self.millisecondsOfDay) }

    /// The beginning of the first day after the records that may exist: later ones are from a clock that was ahead.
    package var end: Timestamp { Self.start(ofDay: Int(day) + SeenCalendar.daysAhead + 1) }

    /// Returns the beginning of a day, counted from 1970.
    package static func start(ofDay day: Int) -> Timestamp {
        Timestamp(milliseconds: Int64(day) * millisecondsOfDay)
    }
}
