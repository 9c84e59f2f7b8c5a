package import Ground

/// The limits on stored reports (semantics.md §10); older ones are aggregated and removed.
package struct ReportWindow: Sendable, Equatable {
    /// The default limit on stored reports.
    package static let defaultRows = 5_000_000
    /// The longest time for which a report is stored, from its receipt.
    package static let lifetimeMilliseconds: Int64 = 30 * 86_400_000
    /// The reports that a batch removes at most, besides as many as it inserts.
    ///
    /// Many reports that leave the window at once, after a lowered limit or at a month's end, are removed with the
    /// following batches.
    package static let surplusPerBatch = 1000

    /// The default limit on reports that are not aggregated.
    package static let defaultWaiting = 2_000_000

    /// The limit on stored reports over all apps; at least one.
    ///
    /// Reports that are not aggregated are kept beyond it.
    package let rows: Int
    /// The number of reports that may wait for their aggregation; past it, further ones get `busy`.
    package let waiting: Int

    package init(rows: Int = defaultRows, waiting: Int = defaultWaiting) {
        precondition(rows > 0)
        self.rows = rows
        self.waiting = waiting
    }

    /// Returns the milliseconds after its receipt for which the id of a report is known, as far as the stored ones show it.
    ///
    /// Further reports push out the oldest one if there are as many as the limit, or else it stays for its lifetime.
    package func knownMilliseconds(_ stored: ReportExtent?, at now: Timestamp) -> Int64 {
        guard let stored, stored.count >= rows else { return Self.lifetimeMilliseconds }
        return min(max(0, now.milliseconds - stored.oldest.milliseconds), Self.lifetimeMilliseconds)
    }

    /// Returns the receipt time before which reports are too old.
    package func oldest(at now: Timestamp) -> Timestamp {
        now.adding(milliseconds: -Self.lifetimeMilliseconds)
    }
}

/// The number of stored reports, and the receipt time of the oldest.
package struct ReportExtent: Sendable, Equatable {
    package let count: Int
    package let oldest: Timestamp

    package init(count: Int, oldest: Timestamp) {
        self.count = count
        self.oldest = oldest
    }
}
