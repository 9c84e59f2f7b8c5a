package import Domain
import Execution
import Synchronization

/// An intake that stores the reports of many requests in few transactions; acknowledged reports are durable.
package final class ReportIntake: Sendable {
    /// The limits on the reports of one transaction and on waiting reports; past the latter, requests get `busy`.
    package static let batchSize = 1000
    package static let capacity = 20_000

    fileprivate struct Pending {
        let reports: [Report]
        let continuation: CheckedContinuation<Result<[ReportOutcome], PlatformError>, Never>
    }

    fileprivate struct State {
        var pending: [Pending] = []
        var count = 0
        var isClosed = false
    }

    private let store: any ReportStore
    private let clock: any WallClock
    private let window: ReportWindow
    private let state = Mutex(State())
    private let arrived = AsyncFlag()

    package init(store: any ReportStore, clock: any WallClock, window: ReportWindow = ReportWindow()) {
        self.store = store
        self.clock = clock
        self.window = window
    }

    /// Stores reports and returns the outcome of each when they are durable; duplicates within the window count once.
    ///
    /// Throws `busy` if too many reports wait.
    @discardableResult
    package func accept(_ reports: [Report]) async throws(PlatformError) -> [ReportOutcome] {
        guard !reports.isEmpty else { return [] }
        let outcome = await withCheckedContinuation { continuation in
            let isAccepted = state.withLock { state in
                guard !state.isClosed, state.count + reports.count <= Self.capacity else { return false }
                state.count += reports.count
                state.pending.append(Pending(reports: reports, continuation: continuation))
                return true
            }
            if isAccepted {
                arrived.set()
            } else {
                continuation.resume(
                    returning: Result<[ReportOutcome], PlatformError>.failure(
                        PlatformError(.busy, "Too many reports are waiting to be stored. Send them again later.")))
            }
        }
        return try outcome.get()
    }

    /// Returns the numbers of reports on a package, by version, then event.
    package func counts(of package: Package) async throws(PlatformError) -> [ReportCount] {
        try await store.reportCounts(of: package.id, in: package.app)
    }

    /// Stores arriving reports until cancelled, and then the remaining ones.
    package func run() async {
        while !Task.isCancelled {
            await arrived.wait()
            await flush()
        }
        state.withLock { $0.isClosed = true }
        await flush()
    }

    private func flush() async {
        while true {
            let batch = state.withLock { $0.takeBatch() }
            guard !batch.isEmpty else { return }
            do throws(PlatformError) {
                let reports = batch.flatMap(\.reports)
                var outcomes = try await store.insertReports(reports, at: clock.now(), keeping: window)[...]
                for pending in batch {
                    let own = outcomes.prefix(pending.reports.count)
                    outcomes = outcomes.dropFirst(own.count)
                    pending.continuation.resume(returning: .success(Array(own)))
                }
            } catch {
                for pending in batch { pending.continuation.resume(returning: .failure(error)) }
            }
        }
    }
}

extension ReportIntake.State {
    /// Removes and returns whole requests up to the size of a batch; at least one if any waits.
    fileprivate mutating func takeBatch() -> [ReportIntake.Pending] {
        var taken = 0
        var reports = 0
        for entry in pending {
            guard taken == 0 || reports + entry.reports.count <= ReportIntake.batchSize else { break }
            reports += entry.reports.count
            taken += 1
        }
        let batch = Array(pending.prefix(taken))
        pending.removeFirst(taken)
        count -= reports
        return batch
    }
}
