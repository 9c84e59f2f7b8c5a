package import Domain
package import Execution
import Ground
import Synchronization

/// The use case that removes unneeded versions, patches and blobs.
///
/// It marks unnamed blobs, waits for the grace period, checks again, and removes under the lock of publishing and
/// releasing.
package final class Pruner: Sendable {
    private let live: LiveApps
    private let store: any PackageStore & RetentionStore & BlobNameStore
    private let blobs: any BlobStore
    private let retention: Retention
    private let work: WorkExecutor
    private let clock: any WallClock
    /// Whether a run is under way; a second run is rejected instead of queued.
    private let isRunning = Atomic(false)
    private let wake = AsyncFlag()

    /// The number of blobs that one transaction removes.
    static let blobStep = 1_000
    /// The pause before the first run; short enough for a server that restarts every day.
    private static let firstPause: Duration = .seconds(300)
    private static let pause: Duration = .seconds(24 * 3600)
    private static let pauseAfterFailure: Duration = .seconds(3600)
    private static let pauseAfterBackup: Duration = .seconds(3600)

    package init(
        live: LiveApps, store: any PackageStore & RetentionStore & BlobNameStore, blobs: any BlobStore,
        policy: RetentionPolicy, work: WorkExecutor, clock: any WallClock
    ) {
        self.live = live
        self.store = store
        self.blobs = blobs
        retention = Retention(policy)
        self.work = work
        self.clock = clock
    }

    /// Returns the number of the stored blobs, and their bytes.
    package func blobTotals() async throws(PlatformError) -> (count: Int, bytes: Int64) {
        try await store.blobTotals()
    }

    /// Marks blobs that no response names and removes those marked long enough, once a day, until cancelled.
    ///
    /// - Parameters:
    ///   - isRemoving: Whether to remove as well as mark.
    ///   - report: Called with the outcome of each run.
    package func run(
        isRemoving: Bool, report: @escaping @Sendable (Result<PruneReport, PlatformError>) -> Void
    ) async {
        await wake.wait(upTo: Self.firstPause)
        while !Task.isCancelled {
            var pause = Self.pause
            do throws(PlatformError) {
                if isRemoving {
                    let outcome = try await prune(by: .server)
                    report(.success(outcome))
                    if outcome.isHeldByBackup { pause = Self.pauseAfterBackup }
                } else {
                    let counted = try await live.countGrace()
                    for app in live.all { try await mark(app, counted) }
                }
            } catch {
                if !Task.isCancelled { report(.failure(error)) }
                pause = Self.pauseAfterFailure
            }
            await wake.wait(upTo: pause)
        }
    }

    /// Removes all that may go; a failure is added to the report and does not stop the other removals.
    ///
    /// Throws `busy` while another run is under way.
    ///
    /// - Parameter limit: The time after which the run stops at the next step, with a partial report; `nil` for no
    ///   limit.
    package func prune(by author: Operator, within limit: Duration? = nil) async throws(PlatformError) -> PruneReport {
        try await alone { () throws(PlatformError) in
            var report = PruneReport(isRehearsal: false, until: limit.map { ContinuousClock.now + $0 })
            let counted = try await live.countGrace()
            for app in apps where !report.isOver {
                do throws(PlatformError) {
                    guard try await mark(app, counted) else {
                        report.skipped.append(app.id)
                        continue
                    }
                    for package in try await store.packages(of: app.id) where !report.isOver {
                        do throws(PlatformError) {
                            try await prune(package.id, of: app, at: counted, by: author, into: &report)
                        } catch { report.add(error) }
                    }
                } catch { report.add(error) }
            }
            for shard in UInt8.min...UInt8.max where !report.isOver && !report.isHeldByBackup {
                do throws(PlatformError) { try await removeBlobs(in: shard, into: &report) } catch { report.add(error) }
            }
            return report
        }
    }

    /// Returns the report of ``prune(by:within:)`` without removing anything.
    package func rehearse(within limit: Duration? = nil) async throws(PlatformError) -> PruneReport {
        try await alone { () throws(PlatformError) in
            var report = PruneReport(isRehearsal: true, until: limit.map { ContinuousClock.now + $0 })
            var removal = Removal()
            for app in apps {
                guard !app.isStale else {
                    report.skipped.append(app.id)
                    continue
                }
                for package in try await store.packages(of: app.id) where !report.isOver {
                    let step = try await self.step(
                        of: package.id, of: app, at: clock.now(), isBounded: false)
                    report.add(step)
                    removal.versions += step.removal.versions
                    removal.artifacts += step.removal.artifacts
                }
            }
            for shard in UInt8.min...UInt8.max where !report.isOver {
                report.add(try await store.unreferencedBlobs(in: shard, disregarding: removal))
            }
            return report
        }
    }

    private func alone<Result>(
        _ body: () async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        guard !isRunning.exchange(true, ordering: .acquiring) else {
            throw PlatformError(.busy, "The server is already removing versions and patches. Try again in a minute.")
        }
        defer { isRunning.store(false, ordering: .releasing) }
        return try await body()
    }

    private var apps: [LiveApp] { live.all.sorted { $0.id.text < $1.id.text } }

    /// Marks the blobs that no response of an app names; returns `false` if the app's state is stale.
    @discardableResult
    private func mark(_ app: LiveApp, _ counted: Timestamp) async throws(PlatformError) -> Bool {
        try await live.alone(with: app) { () throws(PlatformError) in
            guard !app.isStale else { return false }
            // The later instant is the safe one: removal happens later.
            try await store.noteUnnamed(except: app.named, of: app.id, at: max(counted, clock.now()))
            return true
        }
    }

    private func prune(
        _ package: PackageID, of app: LiveApp, at counted: Timestamp, by author: Operator,
        into report: inout PruneReport
    ) async throws(PlatformError) {
        while !report.isOver {
            // Each step judges anew: a release or publishing may have happened since the last one.
            let step = try await live.alone(with: app) { () throws(PlatformError) -> PruneStep? in
                guard !app.isStale else { return nil }
                let step = try await self.step(of: package, of: app, at: counted, isBounded: true)
                guard !step.removal.isEmpty else { return nil }
                let now = clock.now()
                let audit = author.audit(
                    .prunePackage, package.text, in: app.id, at: now, step.details(), change: .none)
                try await store.forget(step.removal, at: now, audit: audit)
                return step
            }
            guard let step else { return }
            report.add(step)
            guard step.isPart else { return }
        }
    }

    /// Judges a package on a worker thread, since it may have tens of thousands of archives.
    private func step(
        of package: PackageID, of app: LiveApp, at counted: Timestamp, isBounded: Bool
    ) async throws(PlatformError) -> PruneStep {
        let facts = try await store.retentionFacts(of: package, in: app.id)
        let (named, instant, retention) = (app.named, app.decisionInstant(clock.now()), retention)
        let id = app.id
        return await work.run {
            PruneStep(
                retention.judge(facts, named: named, at: counted, standingAt: instant), of: package, in: id,
                isBounded: isBounded)
        }
    }

    /// Removes the rows of unreferenced blobs, then their files; never in the opposite order.
    ///
    /// Removes none while a backup copies blobs; a later run does.
    private func removeBlobs(in shard: UInt8, into report: inout PruneReport) async throws(PlatformError) {
        let (blobs, clock) = (blobs, clock)
        while true {
            let permit = try await work.run { () throws(PlatformError) in try blobs.permitRemoval(at: clock.now()) }
            guard let permit else {
                report.isHeldByBackup = true
                return
            }
            defer { withExtendedLifetime(permit) {} }
            let forgotten = try await store.forgetBlobs(in: shard, upTo: Self.blobStep) { blobs.condemn($0) }
            guard !forgotten.isEmpty else { return }
            // If this fails, the removals end by themselves.
            let begun = try? await blobs.removals?.storeTime()
            let digests = Set(forgotten.map(\.digest))
            _ = try await work.run { () throws(PlatformError) in try blobs.removeCondemned(digests, under: permit) }
            if let begun {
                let ended = digests.subtracting(blobs.uncertainRemovals(among: digests))
                try await blobs.removals?.endRemovals(of: ended, begunBy: begun)
            }
            report.add(forgotten)
            guard forgotten.count == Self.blobStep else { return }
        }
    }
}
