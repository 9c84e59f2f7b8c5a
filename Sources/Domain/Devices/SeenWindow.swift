package import Ground

/// The period in which a device counts as seen: seven days, by the server's time.
package struct SeenWindow: Sendable, Equatable {
    package static let days = 7
    /// The number of days by which a record may lie in the future, written while the clock was ahead.
    package static let daysAhead = 1
    private static let millisecondsOfDay: Int64 = 86_400_000

    package let instant: Timestamp

    package init(endingAt instant: Timestamp) {
        self.instant = instant
    }

    /// Returns whether a device seen at an instant counts.
    package func contains(_ seenAt: Timestamp) -> Bool {
        let age = instant.milliseconds - seenAt.milliseconds
        return age <= Int64(Self.days) * Self.millisecondsOfDay
            && age >= -Int64(Self.daysAhead) * Self.millisecondsOfDay
    }

    /// The period whose records are kept: whole UTC days that include the window.
    package var kept: Range<Timestamp> {
        let today = Int64(day)
        let first = max(0, today - Int64(Self.days))
        return Timestamp(
            milliseconds: first * Self.millisecondsOfDay)..<Timestamp(
                milliseconds: (today + Int64(Self.daysAhead) + 1) * Self.millisecondsOfDay)
    }

    /// The UTC day, counted from 1970.
    package var day: UInt16 { UInt16(clamping: instant.milliseconds / Self.millisecondsOfDay) }

    /// Returns whether records of a day are kept.
    package func keeps(day other: UInt16) -> Bool {
        Int(other) + Self.days >= Int(day) && Int(other) <= Int(day) + Self.daysAhead
    }
}
