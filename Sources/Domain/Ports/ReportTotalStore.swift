package import Ground

/// The oldest reports that are not aggregated, and what the store knows of their versions and packages.
package struct ReportBacklog: Sendable {
    /// The number of the last aggregated report.
    package private(set) var after: Int64
    /// The reports in the order of their numbers.
    package private(set) var reports: ArraySlice<ArrivedReport>
    /// The package of each version, by the numbers of the store.
    package let packages: [Int64: Int64]
    package private(set) var names: [Int64: ReportNames]
    package let hasher: DeviceHasher

    package init(
        after: Int64, reports: [ArrivedReport], packages: [Int64: Int64], names: [Int64: ReportNames],
        hasher: DeviceHasher
    ) {
        self.after = after
        self.reports = reports[...]
        self.packages = packages
        self.names = names
        self.hasher = hasher
    }

    /// Returns the first reports, at least one of them, that make up one step of the aggregation, and their totals.
    ///
    /// - Parameter now: The present time.
    package func step(at now: Timestamp) -> ReportStep? {
        var fold = ReportFold(self, at: now)
        for report in reports {
            fold.add(report)
            if fold.isFull || report.number == reports.last?.number {
                return ReportStep(after: after, last: report, totals: fold.totals, names: fold.names)
            }
        }
        return nil
    }

    /// Removes the reports of a step that the store has taken.
    package mutating func remove(_ step: ReportStep) {
        reports = reports.drop { $0.number <= step.last.number }
        after = step.last.number
        names = step.names
        for (package, var known) in names {
            for kind in ReportLabelKind.allCases { known.labels[kind]?.forgetChanges() }
            names[package] = known
        }
    }
}

/// Consecutive reports whose totals the store takes in one transaction.
package struct ReportStep: Sendable {
    /// The number of the last aggregated report before the step.
    package let after: Int64
    /// The last report of the step.
    package let last: ArrivedReport
    /// The totals of hours and days; the store adds them to summaries, too.
    package let totals: [ReportTotal]
    /// The names by package, with their changes.
    package let names: [Int64: ReportNames]
}

/// The part of the totals that a query is about, and the reports that are not aggregated.
package struct ReportSelection: Sendable {
    /// The totals of a version and span that start in a time.
    package struct Range: Sendable {
        package let version: Int64
        package let part: ReportQuery.Part

        package init(version: Int64, part: ReportQuery.Part) {
            self.version = version
            self.part = part
        }
    }

    package let query: ReportQuery
    /// The versions of the package, or of all packages, by the numbers of the store.
    package let versions: [Int64: ReportedVersion]
    /// The number of changes of totals; `nil` before the first.
    package let revision: Int64?
    /// The receipt time of the last aggregated report; `nil` before the first.
    package let aggregatedThrough: Timestamp?
    /// The ranges that have totals.
    package let ranges: [Range]
    /// The reports about the selected versions among the oldest ones that are not aggregated; `nil` if there are none.
    package let waiting: ReportBacklog?
    /// Whether totals that change between two pages are read as they are then.
    package var acceptsChanges = false

    package init(
        query: ReportQuery, versions: [Int64: ReportedVersion], revision: Int64?, aggregatedThrough: Timestamp?,
        ranges: [Range], waiting: ReportBacklog?
    ) {
        self.query = query
        self.versions = versions
        self.revision = revision
        self.aggregatedThrough = aggregatedThrough
        self.ranges = ranges
        self.waiting = waiting
    }
}

/// The numbers of the last stored report and of the last aggregated one; zero before the first.
package struct ReportProgress: Sendable {
    package let stored: Int64
    package let aggregated: Int64

    package init(stored: Int64, aggregated: Int64) {
        self.stored = stored
        self.aggregated = aggregated
    }

    /// The number of reports that are not aggregated.
    package var waiting: Int { max(0, Int(stored - aggregated)) }

    /// Whether a query counts every report up to a number, besides the totals.
    package func isCounted(through number: Int64) -> Bool {
        waiting <= ReportSeries.maximumWaiting || aggregated + Int64(ReportSeries.maximumWaiting) >= number
    }
}

/// A position in the totals of a selection.
package struct ReportCursor: Sendable {
    /// The index of a range.
    package let range: Int
    /// The last total of the range that was read; `nil` for its beginning.
    package let key: ReportTotal.Key?

    package static let start = ReportCursor(range: 0, key: nil)

    package init(range: Int, key: ReportTotal.Key?) {
        self.range = range
        self.key = key
    }
}

/// Some totals of a selection.
package struct ReportTotalPage: Sendable {
    package let totals: [ReportTotal]
    /// The position of the next page; `nil` after the last total.
    package let next: ReportCursor?

    package init(totals: [ReportTotal], next: ReportCursor?) {
        self.totals = totals
        self.next = next
    }
}

/// The store of the totals of reports, which one task changes at a time.
package protocol ReportTotalStore: Sendable {
    /// Returns the oldest reports that are not aggregated, at most `count`; `nil` if there are none.
    func reportBacklog(upTo count: Int) async throws(PlatformError) -> ReportBacklog?
    /// Adds the totals and names of a step, and marks its reports as aggregated.
    ///
    /// Returns the keys of totals whose sets of devices or distributions of durations could not be read: these begin
    /// anew. Throws `conflict` and changes nothing if another task has aggregated the reports, or if the last one is gone:
    /// the number of an erased report may be used again.
    func addTotals(of step: ReportStep) async throws(PlatformError) -> [ReportTotal.Key]
    /// Replaces totals of hours before `end`, at most `count` of them, by totals of days; returns their number, and the keys
    /// of those that could not be read, which begin anew.
    func mergeHours(
        before end: Timestamp, upTo count: Int
    ) async throws(PlatformError) -> (count: Int, unreadable: [ReportTotal.Key])
    /// Removes the totals of a version and day that is older than the newest `count` days with totals; returns their
    /// number.
    ///
    /// Days without totals do not count, so that a clock that jumps ahead removes none.
    func removeDays(keeping count: Int) async throws(PlatformError) -> Int
    /// Returns how far the aggregation has come.
    func reportProgress() async throws(PlatformError) -> ReportProgress
    /// Returns the totals that a query selects, and the reports among the oldest ``ReportSeries/maximumWaiting`` that are
    /// not aggregated.
    ///
    /// - Parameter package: The package of the reports; `nil` for all packages of the app.
    func reportSelection(
        of package: PackageID?, in app: AppID, _ query: ReportQuery
    ) async throws(PlatformError) -> ReportSelection
    /// Returns the totals of a selection from a position on, at most `count`; `nil` if totals have changed since, unless the
    /// selection accepts that.
    func totals(
        of selection: ReportSelection, from cursor: ReportCursor, upTo count: Int
    ) async throws(PlatformError) -> ReportTotalPage?
}

extension ReportTotalStore {
    /// Returns the number of reports that are not aggregated.
    package func waitingReports() async throws(PlatformError) -> Int { try await reportProgress().waiting }

    /// Adds up the totals that a query selects, including those of the oldest ``ReportSeries/maximumWaiting`` reports that
    /// are not aggregated.
    ///
    /// Totals are read in pages, and added up on the caller's executor. If totals change meanwhile, the query begins
    /// anew. Throws `busy` if that happens for longer than `patience`, and `invalidRequest` if the query selects too much.
    ///
    /// - Parameters:
    ///   - package: The package of the reports; `nil` for all packages of the app.
    ///   - acceptsChanges: Whether to go on if totals change meanwhile, of which some may then be newer than others, and
    ///     reports that waited may be added twice.
    ///   - empty: Returns the empty sum.
    ///   - add: Adds a total.
    @concurrent
    package func sum<Sum: Sendable>(
        of package: PackageID?, in app: AppID, _ query: ReportQuery, at now: Timestamp,
        patience: Duration = .seconds(10), acceptsChanges: Bool = false, empty: @Sendable (ReportSelection) -> Sum,
        adding add: @Sendable (ReportTotal, inout Sum) throws(PlatformError) -> Void
    ) async throws(PlatformError) -> Sum {
        let start = ContinuousClock.now
        while true {
            var selection = try await reportSelection(of: package, in: app, query)
            selection.acceptsChanges = acceptsChanges
            var sum = empty(selection)
            if try await self.add(selection, at: now, to: &sum, add) { return sum }
            guard ContinuousClock.now - start < patience, !Task.isCancelled else {
                throw PlatformError(.busy, "Totals of reports change too often. Try again in a moment.")
            }
        }
    }

    /// Adds the totals of a selection; returns `false` if totals have changed since.
    private func add<Sum>(
        _ selection: ReportSelection, at now: Timestamp, to sum: inout Sum,
        _ add: @Sendable (ReportTotal, inout Sum) throws(PlatformError) -> Void
    ) async throws(PlatformError) -> Bool {
        var cursor: ReportCursor? = selection.ranges.isEmpty ? nil : .start
        while let position = cursor {
            guard let page = try await totals(of: selection, from: position, upTo: ReportSeries.pageSize) else {
                return false
            }
            for total in page.totals { try add(total, &sum) }
            cursor = page.next
        }
        guard let waiting = selection.waiting else { return true }
        var fold = ReportFold(waiting, at: now)
        for report in waiting.reports { fold.add(report) }
        for total in fold.totals { try add(total, &sum) }
        return true
    }

    /// Returns the statistics of a package, or of all packages of an app, which include the reports that are not aggregated.
    ///
    /// Throws `invalidRequest` if the query selects too much, and the errors of
    /// ``sum(of:in:_:at:patience:acceptsChanges:empty:adding:)``.
    @concurrent
    package func reportSeries(
        of package: PackageID?, in app: AppID, _ query: ReportQuery, at now: Timestamp,
        patience: Duration = .seconds(10)
    ) async throws(PlatformError) -> ReportSeries {
        try await sum(of: package, in: app, query, at: now, patience: patience) { selection in
            ReportSeries(selection.query, versions: selection.versions, aggregatedThrough: selection.aggregatedThrough)
        } adding: { total, series throws(PlatformError) in
            // The store selects totals, but no waiting reports.
            guard series.includes(total.key) else { return }
            try series.admit(total)
        }
    }
}

extension ReportSeries {
    fileprivate mutating func admit(_ total: ReportTotal) throws(PlatformError) {
        do throws(LimitError) { try add(total) } catch { throw error.platformError }
    }
}
