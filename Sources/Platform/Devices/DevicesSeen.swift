package import Domain
package import Execution
import Ground
import Synchronization

/// A recorder of the devices that send requests, from which the audience of a release is counted (decision 0031).
///
/// Event loops only check whether a device has to be recorded and append it to a queue; a note that does not fit is
/// dropped and counted. Rows are written in batches, and removed when their device has not been seen for
/// ``SeenCalendar/days`` days on which the server ran (decision 0072).
package final class DevicesSeen: Sendable {
    /// The default number of devices that a server remembers.
    package static let defaultLimit = 1_000_000
    /// The limit on the notes that wait to be written.
    package static let queueLength = 20_000
    /// The limit on the memory of waiting notes, by ``DeviceFacts/estimatedBytes``.
    package static let queueBytes = 32 << 20
    /// The limit on the rows of a transaction.
    ///
    /// They lie all over the table, so a larger batch writes fewer pages for each row.
    package static let batchSize = 5_000
    /// The number of rows that are read, or checked for removal, at once.
    static let pageSize = 5_000
    private static let shardCount = 64
    /// The longest time that a note waits for others.
    private static let patience: Duration = .seconds(1)
    private static let sweepPause: Duration = .seconds(600)
    /// The pause before a failed load is retried.
    private static let loadPause: Duration = .seconds(5)

    /// The figures of this process.
    package struct Figures: Sendable, Equatable {
        /// The number of remembered devices and its limit.
        package let devices: Int
        package let limit: Int
        /// The number of requests whose device should have been recorded and was not.
        package let dropped: Int

        package var isLimitReached: Bool { devices >= limit }
    }

    private struct Note {
        let channel: SeenChannel
        let mark: UInt64
        let facts: DeviceFacts
        let bytes: Int
        let instant: Timestamp
    }

    private struct Queue {
        var notes: [Note] = []
        /// The bytes of all waiting notes.
        var bytes = 0
    }

    private final class Shard: Sendable {
        let table = Mutex(SeenTable())
    }

    let live: LiveApps
    let store: any SeenDeviceStore
    let adoptions: any AdoptionStore
    let deviceIDs: DeviceIDs
    let clock: any WallClock
    let work: WorkExecutor
    /// A gate for counts, each of which reads all rows.
    let counting = AsyncGate(width: 1)
    /// A gate for the counts of ``Adoption``, which do not delay those for a release.
    let adopting = FairGate<AppID>(width: 1, capacity: Adoption.maximumWaiting)
    /// A gate for samples of facts, each of which holds some thousand rows in memory.
    let sampling = FairGate<AppID>(width: 1, capacity: FactSample.maximumWaiting)
    private let limit: Int
    private let shards = (0..<shardCount).map { _ in Shard() }
    private let count = Atomic(0)
    private let dropped = Atomic(0)
    /// Whether the stored devices are loaded; until then no device is recorded.
    private let isLoaded = Atomic(false)
    private let queue = Mutex(Queue())
    /// A gate for taking a batch from the queue and writing it.
    private let writing = AsyncGate(width: 1)
    private let arrived = AsyncFlag()
    private let isBatchFull = AsyncFlag()
    /// The last sweep; `nil` before the first one.
    private let lastSweep = Mutex<Sweep?>(nil)

    private struct Sweep: Equatable {
        let day: UInt16
        /// The days for which records were kept.
        let days: Int
    }

    /// - Parameters:
    ///   - work: The threads that make and read rows.
    ///   - limit: The number of devices to remember; 0 records none and removes the stored ones.
    package init(
        live: LiveApps, store: any SeenDeviceStore & AdoptionStore, deviceIDs: DeviceIDs,
        clock: any WallClock, work: WorkExecutor, limit: Int = defaultLimit
    ) {
        self.live = live
        self.store = store
        adoptions = store
        self.deviceIDs = deviceIDs
        self.clock = clock
        self.work = work
        self.limit = limit
    }

    package var isOn: Bool { limit > 0 }

    package var figures: Figures {
        Figures(
            devices: count.load(ordering: .relaxed), limit: limit, dropped: dropped.load(ordering: .relaxed))
    }

    /// Records a device that requests a channel's offer, if it sent its id and is due to be recorded.
    ///
    /// Never waits, so event loops may call it.
    package func note(_ facts: DeviceFacts, in view: ChannelView) {
        guard isOn, let key = facts.identity?.key else { return }
        guard isLoaded.load(ordering: .acquiring) else {
            dropped.add(1, ordering: .relaxed)
            return
        }
        // The view's instant may come from a clock that was ahead.
        let instant = instant(in: view.app)
        let channel = SeenChannel(app: view.app, channel: view.channel)
        let mark = channel.mark(of: key)
        let day = SeenWindow(endingAt: instant).day
        let holdings = facts.holdings?.digest
        let isDropped = shard(of: mark).table.withLock { table in
            let known = table[mark]
            if let known, known.noted(holdings: holdings, on: day) == nil { return false }
            guard known != nil || reserveSlot() else { return true }
            let note = Note(
                channel: channel, mark: mark, facts: facts, bytes: facts.estimatedBytes, instant: instant)
            guard append(note) else {
                if known == nil { count.subtract(1, ordering: .relaxed) }
                return true
            }
            let entry = known?.noted(holdings: holdings, on: day)
            table.put(entry ?? SeenTable.Entry(mark: mark, holdings: holdings, day: day))
            return false
        }
        if isDropped { dropped.add(1, ordering: .relaxed) }
    }

    private func reserveSlot() -> Bool {
        guard count.add(1, ordering: .relaxed).newValue > limit else { return true }
        count.subtract(1, ordering: .relaxed)
        return false
    }

    private func append(_ note: Note) -> Bool {
        let waiting = queue.withLock { queue -> Int? in
            guard queue.notes.count < Self.queueLength, queue.bytes + note.bytes <= Self.queueBytes else { return nil }
            queue.notes.append(note)
            queue.bytes += note.bytes
            return queue.notes.count
        }
        guard let waiting else { return false }
        if waiting == 1 { arrived.set() }
        if waiting == Self.batchSize { isBatchFull.set() }
        return true
    }

    private func shard(of mark: UInt64) -> Shard { shards[Int(mark % UInt64(Self.shardCount))] }

    // MARK: Writing

    /// Loads the stored devices, then writes notes and removes old rows until cancelled; flushes the queue at the end.
    ///
    /// A sweep may take minutes; notes are written meanwhile.
    ///
    /// - Parameter report: Called with each failure.
    package func run(report: @escaping @Sendable (PlatformError) -> Void) async {
        while !Task.isCancelled {
            do throws(PlatformError) {
                try await load()
                break
            } catch {
                // A load that a stop has interrupted has not failed.
                guard !Task.isCancelled else { return }
                report(error)
                await arrived.wait(upTo: Self.loadPause)
            }
        }
        guard isOn else { return }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.sweepDaily(report: report) }
            while !Task.isCancelled {
                await arrived.wait()
                await isBatchFull.wait(upTo: Self.patience)
                await flush(report: report)
            }
        }
        await flush(report: report)
    }

    private func sweepDaily(report: @Sendable (PlatformError) -> Void) async {
        while !Task.isCancelled {
            do throws(PlatformError) { try await sweep() } catch {
                if !Task.isCancelled { report(error) }
            }
            try? await Task.sleep(for: Self.sweepPause)
        }
    }

    /// Loads the stored devices; from then on devices are recorded.
    ///
    /// If recording is off, removes the stored devices.
    package func load() async throws(PlatformError) {
        guard isOn else { return try await store.removeAllSeenDevices() }
        for channel in try await store.seenChannels().keys {
            try await readPages(in: channel) { remember($0, in: channel) }
        }
        isLoaded.store(true, ordering: .releasing)
    }

    private func remember(_ devices: [SeenDevice], in channel: SeenChannel) {
        // Most devices have the versions of others.
        var digests: [String: UInt32] = [:]
        for device in devices {
            if let have = device.have, digests[have] == nil { digests[have] = Holdings(have).digest }
            let day = SeenWindow(endingAt: device.seenAt).day
            let mark = channel.mark(of: device.key)
            let entry = SeenTable.Entry(mark: mark, holdings: device.have.flatMap { digests[$0] }, day: day)
            shard(of: mark).table.withLock { table in
                if table[mark] == nil { count.add(1, ordering: .relaxed) }
                table.put(entry)
            }
        }
    }

    /// Writes the waiting notes.
    ///
    /// Notes that the store rejects are dropped; a device's next request notes it again.
    package func flush(report: (PlatformError) -> Void) async {
        while await writing.pass({ await writeBatch(report: report) }) {}
    }

    /// Writes one batch of the waiting notes; returns `false` if there is none.
    private func writeBatch(report: (PlatformError) -> Void) async -> Bool {
        let batch = queue.withLock { queue in
            let batch = Array(queue.notes.prefix(Self.batchSize))
            queue.notes.removeFirst(batch.count)
            for note in batch { queue.bytes -= note.bytes }
            return batch
        }
        guard !batch.isEmpty else { return false }
        let devices = await work.run { Self.rows(of: batch) }
        do throws(PlatformError) { try await store.noteSeenDevices(devices) } catch {
            report(error)
            forget(batch)
        }
        return true
    }

    /// Forgets a device and its waiting notes, then runs `body` while no note is written.
    ///
    /// The device's next request notes it again.
    func forgetting<Result>(
        _ names: DeviceNames, in app: LiveApp, _ body: () async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        try await writing.pass { () throws(PlatformError) in
            for view in app.allViews {
                let channel = SeenChannel(app: app.id, channel: view.channel)
                for name in [names.plain, names.hashed] { forget(channel.mark(of: name.key)) }
            }
            return try await body()
        }
    }

    private func forget(_ mark: UInt64) {
        shard(of: mark).table.withLock { table in
            let gone = table.keep { $0.mark != mark }
            guard gone > 0 else { return }
            count.subtract(gone, ordering: .relaxed)
            queue.withLock { queue in
                for note in queue.notes where note.mark == mark { queue.bytes -= note.bytes }
                queue.notes.removeAll { $0.mark == mark }
            }
        }
    }

    private static func rows(of batch: [Note]) -> [SeenChannel: [SeenDevice]] {
        var devices: [SeenChannel: [SeenDevice]] = [:]
        for note in batch {
            guard let device = SeenDevice(note.facts, at: note.instant) else { continue }
            devices[note.channel, default: []].append(device)
        }
        return devices
    }

    private func forget(_ batch: [Note]) {
        dropped.add(batch.count, ordering: .relaxed)
        for note in batch {
            shard(of: note.mark).table.withLock { table in
                if let entry = table[note.mark] { table.put(entry.unnoted) }
            }
        }
    }

    // MARK: Removing

    /// Removes old rows and counts the others by version, once a day; again if the server records as many as it may.
    package func sweep() async throws(PlatformError) {
        let figures = figures
        let sweep = Sweep(
            day: SeenWindow(endingAt: clock.now()).day,
            days: SeenCalendar.days(of: figures.devices, limit: figures.limit))
        let isDue = lastSweep.withLock { last in
            guard let last, last.day == sweep.day else { return true }
            return sweep.days < last.days
        }
        guard isDue else { return }
        let (calendar, uncounted) = try await adoptions.noteSeenDay(sweep.day)
        guard !calendar.isBehind(on: sweep.day) else { return lastSweep.withLock { $0 = sweep } }
        // The oldest kept day of any app.
        var oldest = calendar.oldestKept(keeping: sweep.days, on: sweep.day)
        for channel in try await store.seenChannels().keys {
            let window = SeenWindow(endingAt: instant(in: channel.app))
            let first = calendar.oldestKept(keeping: sweep.days, on: window.day)
            oldest = min(oldest, first)
            var last: DeviceKey?
            repeat {
                try Self.requireRunning()
                last = try await store.removeSeenDevices(
                    in: channel, notWithin: SeenWindow.start(ofDay: Int(first))..<window.end, at: window.instant,
                    after: last, upTo: Self.pageSize)
            } while last != nil
            if uncounted.contains(channel) { try await takeCensus(of: channel, within: window, on: sweep.day) }
        }
        // Each step is a transaction of its own, so that devices are recorded between the steps.
        while try await store.removeUnusedTexts() > 0 {}
        // The table in memory is pruned after the rows and by the oldest day of all apps, so that each row keeps its entry.
        // After a failed write or with a clock that was far behind, an entry may go before its row; the device's next
        // request restores it.
        for shard in shards {
            let gone = shard.table.withLock { table in table.keep { $0.day >= oldest } }
            count.subtract(gone, ordering: .relaxed)
        }
        lastSweep.withLock { $0 = sweep }
    }

    /// Stores the numbers of devices by version in use.
    private func takeCensus(
        of channel: SeenChannel, within window: SeenWindow, on day: UInt16
    ) async throws(PlatformError) {
        let census = Mutex(AdoptionCensus(of: try await adoptions.publishedVersions(of: channel.app)))
        try await readPages(in: channel) { page in
            census.withLock { census in
                var reader = SeenFactsReader()
                for device in page where window.contains(device.seenAt) {
                    if let holdings = reader.facts(of: device).holdings { census.add(holdings) }
                }
            }
        }
        try await adoptions.noteAdoption(census.withLock { $0.versions }, in: channel, on: day)
    }

    /// Returns the decision instant of an app, which is never before its last activation.
    private func instant(in app: AppID) -> Timestamp {
        let now = clock.now()
        return live.app(app)?.decisionInstant(now) ?? now
    }
}
