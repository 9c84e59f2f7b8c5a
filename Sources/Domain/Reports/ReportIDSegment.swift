package import Ground

/// A segment of reports that have left the window early, whose ids are still known.
package struct ReportIDSegment: Sendable, Equatable {
    /// The bits in which the numbers of a segment's reports differ, the lowest ones.
    package static let shift: Int64 = 16

    /// The number of the segment, which its reports' numbers begin with.
    package let segment: Int64
    /// The last number of a report up to which the ids of the segment are known.
    package let through: Int64
    /// The receipt time of the last of these reports.
    package let receivedAt: Timestamp
    /// The number of ids.
    package let ids: Int

    package init(segment: Int64, through: Int64, receivedAt: Timestamp, ids: Int) {
        self.segment = segment
        self.through = through
        self.receivedAt = receivedAt
        self.ids = ids
    }

    /// Returns the segment of a report by its number.
    package static func segment(of number: Int64) -> Int64 { number >> shift }

    /// Returns the first number of a segment's reports.
    package static func first(of segment: Int64) -> Int64 { segment << shift }

    /// Returns the last number of a segment's reports.
    package static func last(of segment: Int64) -> Int64 { (segment + 1) << shift - 1 }

    /// Whether no id is added any more: the numbers of aggregated reports are never used again.
    package var isComplete: Bool { through == Self.last(of: segment) }
}
