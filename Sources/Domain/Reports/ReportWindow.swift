/// The reports that are kept as they came (semantics.md §10); older ones have been counted and are let go.
package struct ReportWindow: Sendable, Equatable {
    /// Reports that a server keeps unless it is told otherwise.
    package static let defaultRows = 5_000_000
    /// For how long a report is kept at most, from when it was received.
    package static let lifetimeMilliseconds: Int64 = 30 * 86_400_000
    /// Reports that a batch lets go at most, beyond as many as it brought: what falls out at once, after a limit was
    /// lowered or a month's end, goes with the batches that follow.
    package static let surplusPerBatch = 1000

    /// The newest ones that are kept, over all apps; at least one.
    package let rows: Int

    package init(rows: Int = defaultRows) {
        precondition(rows > 0)
        self.rows = rows
    }

    /// What was received before this has outlived its time.
    package func oldest(at now: Timestamp) -> Timestamp {
        now.adding(milliseconds: -Self.lifetimeMilliseconds)
    }
}
