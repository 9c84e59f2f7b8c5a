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

    /// The default limit on the ids that are known after their reports have left the window.
    package static let defaultIDs = 50_000_000
    /// The time for which the id of a report is known, from its receipt, unless there are too many ids.
    package static let promisedMilliseconds: Int64 = 7 * 86_400_000
    /// The segments whose ids a batch forgets at most.
    package static let forgottenPerBatch = 2

    /// The limit on stored reports over all apps; at least one.
    ///
    /// Reports that are not aggregated are kept beyond it.
    package let rows: Int
    /// The number of reports that may wait for their aggregation; past it, further ones get `busy`.
    package let waiting: Int
    /// The limit on the ids that are known after their reports have left the window; 0 for none.
    ///
    /// Ids are forgotten by segments, and those of the newest segment stay.
    package let ids: Int

    package init(rows: Int = defaultRows, waiting: Int = defaultWaiting, ids: Int = defaultIDs) {
        precondition(rows > 0 && ids >= 0)
        self.rows = rows
        self.waiting = waiting
        self.ids = ids
    }

    /// Returns the milliseconds after its receipt for which the id of a report is known, as far as the stored ones show it.
    ///
    /// If an id was forgotten too early, those of later reports are known. Otherwise the time is the promised one, or longer
    /// while the reports are stored: further reports push out the oldest one if there are as many as the limit.
    package func knownMilliseconds(_ stored: ReportExtent?, at now: Timestamp) -> Int64 {
        guard let stored else { return Self.lifetimeMilliseconds }
        if let forgotten = stored.forgotten, forgotten >= oldestID(at: now) {
            return max(0, now.milliseconds - forgotten.milliseconds)
        }
        guard stored.count >= rows else { return Self.lifetimeMilliseconds }
        let age = now.milliseconds - stored.oldest.milliseconds
        return min(max(Self.promisedMilliseconds, age), Self.lifetimeMilliseconds)
    }

    /// Returns the receipt time before which the id of a report need not be known.
    package func oldestID(at now: Timestamp) -> Timestamp { now.adding(milliseconds: -Self.promisedMilliseconds) }

    /// Returns the segments whose ids are forgotten now: the first ones, if they are too old or beyond the limit.
    ///
    /// - Parameter kept: All segments with ids of reports that have left the window, oldest first.
    package func segmentsToForget(of kept: [ReportIDSegment], at now: Timestamp) -> ArraySlice<ReportIDSegment> {
        var ids = kept.reduce(0) { $0 + $1.ids }
        let count = kept.prefix(Self.forgottenPerBatch).enumerated().prefix { index, segment in
            let isOld = segment.receivedAt < oldestID(at: now)
            let isBeyondLimit = ids > self.ids && (index < kept.count - 1 || self.ids == 0)
            ids -= segment.ids
            return isOld || isBeyondLimit
        }.count
        return kept.prefix(count)
    }

    /// Returns the receipt time before which reports are too old.
    package func oldest(at now: Timestamp) -> Timestamp {
        now.adding(milliseconds: -Self.lifetimeMilliseconds)
    }
}

/// The extent of the stored reports.
package struct ReportExtent: Sendable, Equatable {
    /// The number of stored reports.
    package let count: Int
    /// The receipt time of the oldest one.
    package let oldest: Timestamp
    /// The receipt time of the newest report whose id was forgotten early; `nil` if there is none.
    package let forgotten: Timestamp?

    package init(count: Int, oldest: Timestamp, forgotten: Timestamp? = nil) {
        self.count = count
        self.oldest = oldest
        self.forgotten = forgotten
    }
}
