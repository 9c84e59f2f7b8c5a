package import Domain
package import Execution
import Ground
import Synchronization

/// The task that adds stored reports to the totals, in the order of their arrival and each exactly once.
///
/// One node of an installation runs it at a time. The totals and the number of the last report are written in one
/// transaction, so a crash at any point leaves each report either aggregated or waiting.
package final class ReportAggregator: Sendable {
    /// The waiting reports that are aggregated at once, and that one backlog has at most.
    package static let stepSize = 10_000
    /// The totals of hours that one step replaces by totals of days.
    package static let hoursPerStep = 200
    /// The longest time until waiting reports are looked for; another node may have stored some.
    package static let pause: Duration = .seconds(2)
    /// The time from the first waiting report until it is aggregated, unless ``stepSize`` reports wait earlier: each step
    /// writes the changed totals as a whole, so few large ones write less.
    package static let gathering: Duration = .seconds(15)
    /// The interval at which the number of waiting reports is queried.
    private static let pollInterval: Duration = .milliseconds(500)
    /// The time between two removals of old totals.
    package static let tidyInterval: Duration = .seconds(600)
    /// The longest time for which queries delay a change of totals.
    package static let readingLimit: Duration = .seconds(5)

    private struct State {
        /// The flags of tasks that wait for the end of a step.
        var observers: [AsyncFlag] = []
        /// The number of queries that read totals.
        var readers = 0
    }

    private let store: any ReportTotalStore
    private let work: WorkExecutor
    private let clock: any WallClock
    private let log: any Log
    private let gathering: Duration
    private let arrived = AsyncFlag()
    private let isUrgent = AsyncFlag()
    private let isUnread = AsyncFlag()
    private let state = Mutex(State())

    /// - Parameter work: The threads that aggregate reports.
    package init(
        store: any ReportTotalStore, work: WorkExecutor, clock: any WallClock, log: any Log,
        gathering: Duration = gathering
    ) {
        self.store = store
        self.work = work
        self.clock = clock
        self.log = log
        self.gathering = gathering
    }

    /// Notes that reports were stored.
    package func wake() { arrived.set() }

    /// Asks for the aggregation of the waiting reports at once, and returns after a step or when the time is over.
    package func aggregateNow(upTo duration: Duration) async {
        let flag = AsyncFlag()
        state.withLock { $0.observers.append(flag) }
        arrived.set()
        isUrgent.set()
        await flag.wait(upTo: duration)
        state.withLock { state in state.observers.removeAll { $0 === flag } }
    }

    /// Runs a query while the totals stay as they are, up to ``readingLimit``.
    package func withStableTotals<Result>(
        _ body: () async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        state.withLock { $0.readers += 1 }
        defer {
            state.withLock { $0.readers -= 1 }
            isUnread.set()
        }
        return try await body()
    }

    /// Aggregates reports and removes old totals until cancelled.
    ///
    /// - Parameter report: Called for the first of consecutive failures.
    package func run(report: @Sendable (PlatformError) -> Void) async {
        var hasFailed = false
        var tidied: ContinuousClock.Instant?
        while !Task.isCancelled {
            do throws(PlatformError) {
                _ = try await step()
                while !Task.isCancelled, try await isStepWaiting(), try await step() > 0 {}
                if tidied.map({ ContinuousClock.now - $0 >= Self.tidyInterval }) ?? true {
                    tidied = .now
                    while !Task.isCancelled, try await tidy() {
                        // Reports that arrive meanwhile do not wait for its end.
                        if try await isStepWaiting() { _ = try await step() }
                    }
                }
                hasFailed = false
                try await gather()
            } catch {
                if !hasFailed { report(error) }
                hasFailed = true
                await AsyncFlag().wait(upTo: Self.pollInterval)
            }
        }
    }

    private func isStepWaiting() async throws(PlatformError) -> Bool {
        try await store.waitingReports() >= Self.stepSize
    }

    private var hasObservers: Bool { state.withLock { !$0.observers.isEmpty } }

    /// Returns once reports have waited for ``gathering``, ``stepSize`` of them wait, or a query needs them.
    private func gather() async throws(PlatformError) {
        await arrived.wait(upTo: Self.pause)
        let start = ContinuousClock.now
        while !Task.isCancelled, ContinuousClock.now - start < gathering {
            let waiting = try await store.waitingReports()
            guard waiting > 0, waiting < Self.stepSize, !hasObservers else { return }
            await isUrgent.wait(upTo: min(Self.pollInterval, gathering))
        }
    }

    /// Aggregates the oldest waiting reports, in one transaction for each ``ReportFold/maximumTotals`` totals; returns
    /// their number.
    package func step() async throws(PlatformError) -> Int {
        guard var backlog = try await store.reportBacklog(upTo: Self.stepSize) else { return 0 }
        let (count, now) = (backlog.reports.count, clock.now())
        while true {
            let rest = backlog
            guard let step = await work.run({ rest.step(at: now) }) else { break }
            await waitForReaders()
            logUnreadable(try await store.addTotals(of: step))
            backlog.remove(step)
        }
        for observer in state.withLock(\.observers) { observer.set() }
        return count
    }

    /// Waits until no query reads totals, or for ``readingLimit``.
    private func waitForReaders() async {
        let start = ContinuousClock.now
        while state.withLock({ $0.readers }) > 0, !Task.isCancelled {
            let rest = Self.readingLimit - (ContinuousClock.now - start)
            guard rest > .zero else { return }
            await isUnread.wait(upTo: rest)
        }
    }

    /// Replaces some old totals of hours by those of days, and removes some old ones of days.
    ///
    /// Returns whether there may be more.
    package func tidy() async throws(PlatformError) -> Bool {
        let now = clock.now()
        await waitForReaders()
        let merged = try await store.mergeHours(before: ReportTotal.firstHour(at: now), upTo: Self.hoursPerStep)
        let removed = try await store.removeDays(keeping: ReportTotal.keptDays)
        logUnreadable(merged.unreadable)
        return merged.count + removed > 0
    }

    private func logUnreadable(_ keys: [ReportTotal.Key]) {
        for key in keys {
            log.write(
                "reports.total-unreadable",
                ["version": String(key.version), "span": key.span.rawValue, "event": key.event])
        }
    }
}
