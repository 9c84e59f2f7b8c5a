/// For how long a device counts as seen: seven days, by the server's time.
package struct SeenWindow: Sendable, Equatable {
    package static let days = 7
    /// A clock that was so far ahead when a device was noted, and is not any more, is believed.
    package static let daysAhead = 1
    private static let millisecondsOfDay: Int64 = 86_400_000

    package let instant: Timestamp

    package init(endingAt instant: Timestamp) {
        self.instant = instant
    }

    /// Whether a device that was seen then counts.
    package func contains(_ seenAt: Timestamp) -> Bool {
        let age = instant.milliseconds - seenAt.milliseconds
        return age <= Int64(Self.days) * Self.millisecondsOfDay
            && age >= -Int64(Self.daysAhead) * Self.millisecondsOfDay
    }

    /// What is still kept: whole UTC days, so that nothing goes that counts.
    package var kept: Range<Timestamp> {
        let today = Int64(day)
        let first = max(0, today - Int64(Self.days))
        return Timestamp(
            milliseconds: first * Self.millisecondsOfDay)..<Timestamp(
                milliseconds: (today + Int64(Self.daysAhead) + 1) * Self.millisecondsOfDay)
    }

    /// The UTC day, counted from 1970.
    package var day: UInt16 { UInt16(clamping: instant.milliseconds / Self.millisecondsOfDay) }

    /// Whether what was noted on a day is still kept.
    package func keeps(day other: UInt16) -> Bool {
        Int(other) + Self.days >= Int(day) && Int(other) <= Int(day) + Self.daysAhead
    }
}
