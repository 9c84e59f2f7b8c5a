package import Domain
import Execution
import Synchronization

/// An intake that stores the reports of many requests in few transactions; acknowledged reports are durable.
///
/// While the store is unavailable, reports go to the spool, if there is one. A task of its own stores the spooled ones once
/// the store is back; reports that arrive meanwhile go to the store themselves.
package final class ReportIntake: Sendable {
    /// The limits on the reports of one transaction and on waiting reports; past the latter, requests get `busy`.
    package static let batchSize = 4000
    package static let capacity = 20_000
    /// The time between two attempts to store spooled reports.
    package static let retryDelay: Duration = .seconds(1)
    /// The minimum time between two reads of the extent of the stored reports.
    private static let extentInterval: Duration = .seconds(30)

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
    private let spool: (any ReportSpool)?
    private let deviceIDs: DeviceIDs
    private let clock: any WallClock
    private let window: ReportWindow
    private let log: any Log
    private let retryDelay: Duration
    private let stored: @Sendable () -> Void
    private let state = Mutex(State())
    private let arrived = AsyncFlag()
    /// Whether reports go to the spool without an attempt to store them.
    private let isSpooling = Atomic(false)
    private let spooled = AsyncFlag()
    /// The extent of the stored reports when it was last read.
    private let extent = Mutex<(readAt: ContinuousClock.Instant, stored: ReportExtent)?>(nil)

    /// - Parameters:
    ///   - spool: The spool for reports that the store cannot take; without it, their requests fail.
    ///   - stored: Called after reports were stored.
    package init(
        store: any ReportStore, spool: (any ReportSpool)? = nil, deviceIDs: DeviceIDs, clock: any WallClock,
        window: ReportWindow = ReportWindow(), log: any Log, retryDelay: Duration = retryDelay,
        stored: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.spool = spool
        self.deviceIDs = deviceIDs
        self.clock = clock
        self.window = window
        self.log = log
        self.retryDelay = retryDelay
        self.stored = stored
    }

    /// The content of the spool; `nil` without one.
    package var spoolFigures: ReportSpoolFigures? { spool?.figures }

    /// The seconds after its receipt for which the id of a report is known; `nil` before the first stored report.
    package var knownSeconds: Int64? {
        extent.withLock { extent in extent.map { window.knownMilliseconds($0.stored, at: clock.now()) / 1000 } }
    }

    /// Reads the extent of the stored reports now and then, so that ``knownSeconds`` does not wait for the store.
    private func readExtent() async {
        let isDue = extent.withLock { extent in extent.map { .now - $0.readAt >= Self.extentInterval } ?? true }
        guard isDue, let stored = try? await store.reportExtent() else { return }
        extent.withLock { $0 = (.now, stored) }
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

    /// Stores arriving and spooled reports until cancelled, and then the remaining arrived ones.
    package func run() async {
        await withTaskGroup { group in
            if let spool {
                group.addTask { await self.drain(spool) }
            }
            while !Task.isCancelled {
                await arrived.wait()
                await flush()
            }
            state.withLock { $0.isClosed = true }
            await flush()
            group.cancelAll()
        }
    }

    private func flush() async {
        while true {
            // Here and not in accept(_:), which an event loop calls: a hash takes a microsecond or two.
            var batch = state.withLock { $0.takeBatch() }
            if deviceIDs.form == .hashed {
                batch = batch.map { pending in
                    Pending(reports: pending.reports.map(deviceIDs.stored(_:)), continuation: pending.continuation)
                }
            }
            guard !batch.isEmpty else { return }
            guard !isSpooling.load(ordering: .relaxed) else {
                await keep(batch, insteadOf: Self.stillUnavailable)
                continue
            }
            do throws(PlatformError) {
                let reports = batch.flatMap(\.reports)
                var outcomes = try await store.insertReports(reports, at: clock.now(), keeping: window)[...]
                stored()
                for pending in batch {
                    let own = outcomes.prefix(pending.reports.count)
                    outcomes = outcomes.dropFirst(own.count)
                    pending.continuation.resume(returning: .success(Array(own)))
                }
                await readExtent()
            } catch {
                if Self.passes(error) {
                    await keep(batch, insteadOf: error)
                } else {
                    for pending in batch { pending.continuation.resume(returning: .failure(error)) }
                }
            }
        }
    }
}

// MARK: The spool

extension ReportIntake {
    private static let stillUnavailable = PlatformError(
        .storageUnavailable, "The database does not respond, and the spool of reports is full. Try again in a moment.")

    /// Whether the store may take the reports later: it does not respond, or it is busy, as while a newer node has
    /// migrated it.
    private static func passes(_ error: PlatformError) -> Bool {
        error.code == .storageUnavailable || error.code == .busy
    }

    /// Spools the requests of a batch that fit, and responds to the others with an error.
    private func keep(_ batch: [Pending], insteadOf error: PlatformError) async {
        var kept = 0
        if let spool {
            do throws(PlatformError) {
                let wasEmpty = spool.figures.reports == 0
                kept = try await spool.append(batch.map(\.reports))
                if wasEmpty, kept > 0 { log.write("reports.spooling", ["cause": error.cause ?? error.message]) }
            } catch {
                log.write("reports.spool-failed", ["cause": error.cause ?? error.message])
            }
            // With an empty spool no task tries the store again, except that of the next reports.
            isSpooling.store(spool.figures.reports > 0, ordering: .relaxed)
            spooled.set()
        }
        for (index, pending) in batch.enumerated() {
            pending.continuation.resume(
                returning: index < kept
                    ? .success(pending.reports.map { _ in .spooled }) : .failure(error))
        }
    }

    /// Stores spooled reports, oldest first, until cancelled; waits after a failure.
    private func drain(_ spool: any ReportSpool) async {
        var drained = 0
        while !Task.isCancelled {
            do throws(PlatformError) {
                let requests = try await spool.oldest(upTo: Self.batchSize)
                guard !requests.isEmpty else {
                    isSpooling.store(false, ordering: .relaxed)
                    if drained > 0 { log.write("reports.drained", ["count": String(drained)]) }
                    drained = 0
                    await spooled.wait()
                    continue
                }
                let count = try await store(spooled: requests)
                isSpooling.store(false, ordering: .relaxed)
                try await spool.removeOldest(count)
                drained += requests.prefix(count).reduce(0) { $0 + $1.count }
            } catch {
                // The first of a series of failures is in the log already.
                let isPassing = Self.passes(error)
                isSpooling.store(isPassing, ordering: .relaxed)
                if !isPassing {
                    log.write("reports.spool-failed", ["cause": error.cause ?? error.message])
                }
                await AsyncFlag().wait(upTo: retryDelay)
            }
        }
    }

    /// Stores requests and returns their number; drops a single one that the store will never take.
    private func store(spooled requests: [[Report]]) async throws(PlatformError) -> Int {
        do throws(PlatformError) {
            let reports = requests.flatMap(\.self).map(deviceIDs.stored(spooled:))
            _ = try await store.insertReports(reports, at: clock.now(), keeping: window)
            stored()
            return requests.count
        } catch {
            switch error.code {
            case .storageUnavailable, .storageFull, .storageFailed, .busy: throw error
            default: break
            }
            guard requests.count == 1 else {
                // One of the requests fails; the next calls find it.
                return try await store(spooled: [requests[0]])
            }
            log.write(
                "reports.dropped", ["count": String(requests[0].count), "cause": error.cause ?? error.message])
            return 1
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
