package import Domain
package import Execution
package import Ground

/// The use case that reads what devices have reported.
package struct ReportStatistics: Sendable {
    /// The time that a query waits for the aggregation of reports.
    package static let patience: Duration = .seconds(10)
    /// The interval at which the number of waiting reports is queried; another node may aggregate them.
    private static let pollInterval: Duration = .milliseconds(500)

    /// The time for which a look at a release reads totals again that have changed.
    private static let stableReading: Duration = .seconds(3)
    /// The queries that run at once; each may hold ``ReportSeries/maximumBytes`` and as many reports as a step.
    private static let width = 2

    private let queries = AsyncGate(width: width)
    private let store: any ReportStore & ReportTotalStore
    private let aggregator: ReportAggregator
    private let work: WorkExecutor
    private let clock: any WallClock
    private let patience: Duration

    /// - Parameter work: The threads that add totals up.
    package init(
        store: any ReportStore & ReportTotalStore, aggregator: ReportAggregator, work: WorkExecutor,
        clock: any WallClock, patience: Duration = patience
    ) {
        self.store = store
        self.aggregator = aggregator
        self.work = work
        self.clock = clock
        self.patience = patience
    }

    /// Returns the numbers of all reports on a package, or on all packages of an app, by version, then event.
    package func counts(of package: PackageID?, in app: AppID) async throws(PlatformError) -> [ReportCount] {
        func read() async throws(PlatformError) -> [ReportCount] {
            try await waitForAggregation()
            return try await store.reportCounts(of: package, in: app)
        }
        return package == nil ? try await queries.pass(read) : try await read()
    }

    /// Returns the statistics of a package, or of all packages of an app, and the time at which they were read.
    package func series(
        of package: PackageID?, in app: AppID, _ query: ReportQuery
    ) async throws(PlatformError) -> (series: ReportSeries, asOf: Timestamp) {
        try await queries.pass { () throws(PlatformError) in try await read(package, app, query) }
    }

    private func read(
        _ package: PackageID?, _ app: AppID, _ query: ReportQuery
    ) async throws(PlatformError) -> (series: ReportSeries, asOf: Timestamp) {
        try await waitForAggregation()
        let now = clock.now()
        let series = try await reading { () throws(PlatformError) in
            try await store.reportSeries(of: package, in: app, query, at: now, patience: patience)
        }
        return (series, now)
    }

    /// Returns the numbers of devices by which the rules of a release are judged.
    ///
    /// Succeeds however many reports arrive: it counts the totals and the oldest ``ReportSeries/maximumWaiting`` reports
    /// that are not aggregated, so that devices may be missing that the aggregation has not come to. If totals keep
    /// changing for ``stableReading``, some may be newer than others, and the durations of some page loads may count twice.
    ///
    /// - Parameters:
    ///   - isOnlyRelease: Whether no other release offers its version.
    ///   - since: The time from which reports count, at the beginning of an hour.
    ///   - step: The devices at the latest plan step; `nil` before the first.
    package func healthCounts(
        of release: Release, isOnlyRelease: Bool, judging metrics: Set<HealthMetric>, since: Timestamp,
        after step: HealthStep?
    ) async throws(PlatformError) -> HealthCounts {
        let now = clock.now()
        func counts(
            acceptingChanges: Bool, _ patience: Duration
        ) async throws(PlatformError) -> HealthCounts {
            try await reading { () throws(PlatformError) in
                try await store.sum(
                    of: release.package, in: release.app, HealthTally.query(since: since, at: now), at: now,
                    patience: patience, acceptsChanges: acceptingChanges
                ) { selection in
                    HealthTally(
                        of: release, isOnlyRelease: isOnlyRelease, judging: metrics, since: since, after: step,
                        versions: selection.versions.mapValues(\.version))
                } adding: { total, tally in
                    tally.add(total)
                }.counts
            }
        }
        do throws(PlatformError) {
            return try await counts(acceptingChanges: false, min(patience, Self.stableReading))
        } catch {
            guard error.code == .busy else { throw error }
            return try await counts(acceptingChanges: true, patience)
        }
    }

    /// Returns the devices that have reported about the version of a release since the release began.
    package func devices(about release: Release) async throws(PlatformError) -> DeviceSketch {
        try await waitForAggregation()
        let now = clock.now()
        // By the day, so that summaries suffice, which are few however long the release has been there.
        let query = ReportQuery(
            from: ReportTotal.Span.day.start(of: release.activeTime), to: nil, bucket: .all,
            filters: [.version: release.version.text], groups: [], at: now)
        return try await reading { () throws(PlatformError) in
            try await store.sum(of: release.package, in: release.app, query, at: now, patience: patience) { _ in
                DeviceUnion()
            } adding: { total, devices in
                devices.insert(total.devices)
            }.sketch
        }
    }

    /// Runs a query on the threads that aggregate reports, while the totals stay as they are.
    private func reading<Value: Sendable>(
        _ query: @Sendable () async throws(PlatformError) -> Value
    ) async throws(PlatformError) -> Value {
        try await aggregator.withStableTotals { () throws(PlatformError) in
            let outcome: Result<Value, PlatformError> = await withTaskExecutorPreference(work) {
                do throws(PlatformError) { return .success(try await query()) } catch { return .failure(error) }
            }
            return try outcome.get()
        }
    }

    /// Waits until a query counts every report that is stored by now; throws `busy` if that takes too long.
    ///
    /// Reports that arrive meanwhile do not prolong the wait.
    private func waitForAggregation() async throws(PlatformError) {
        let start = ContinuousClock.now
        var progress = try await store.reportProgress()
        let last = progress.stored
        while !progress.isCounted(through: last) {
            guard ContinuousClock.now - start < patience, !Task.isCancelled else {
                throw PlatformError(.busy, "Too many reports are not aggregated yet. Try again in a moment.")
            }
            await aggregator.aggregateNow(upTo: Self.pollInterval)
            progress = try await store.reportProgress()
        }
    }
}
