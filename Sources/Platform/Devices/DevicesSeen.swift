package import Domain
package import Execution
import Ground
import Synchronization

/// A recorder of the devices that send requests, from which the audience of a release is counted (decision 0031).
///
/// Event loops only check whether a device has to be recorded and append it to a queue; a note that does not fit is
/// dropped and counted. Rows are written in batches, and removed when their device has not been seen for
/// ``SeenWindow/days`` days.
package final class DevicesSeen: Sendable {
    /// The default number of devices that a server remembers.
    package static let defaultLimit = 1_000_000
    /// The limits on the notes that wait to be written and on one batch.
    package static let queueLength = 20_000
    /// The limit on the memory of waiting notes, by ``DeviceFacts/estimatedBytes``.
    package static let queueBytes = 32 << 20
    package static let batchSize = 1_000
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
    let clock: any WallClock
    let work: WorkExecutor
    /// A gate for counts, each of which reads all rows.
    let counting = AsyncGate(width: 1)
    private let limit: Int
    private let shards = (0..<shardCount).map { _ in Shard() }
    private let count = Atomic(0)
    private let dropped = Atomic(0)
    /// Whether the stored devices are loaded; until then no device is recorded.
    private let isLoaded = Atomic(false)
    private let queue = Mutex(Queue())
    private let arrived = AsyncFlag()
    private let isBatchFull = AsyncFlag()
    /// The day of the last sweep.
    private let sweptOn = Mutex<UInt16?>(nil)

    /// - Parameters:
    ///   - work: The threads that make and read rows.
    ///   - limit: The number of devices to remember; 0 records none and removes the stored ones.
    package init(
        live: LiveApps, store: any SeenDeviceStore, clock: any WallClock, work: WorkExecutor, limit: Int = defaultLimit
    ) {
        self.live = live
        self.store = store
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
    /// - Parameter report: Called with each failure.
    package func run(report: @escaping @Sendable (PlatformError) -> Void) async {
        while !Task.isCancelled {
            do throws(PlatformError) {
                try await load()
                break
            } catch {
                report(error)
                await arrived.wait(upTo: Self.loadPause)
            }
        }
        while !Task.isCancelled, isOn {
            do throws(PlatformError) { try await sweep() } catch { report(error) }
            await arrived.wait(upTo: Self.sweepPause)
            await isBatchFull.wait(upTo: Self.patience)
            await flush(report: report)
        }
        await flush(report: report)
    }

    /// Loads the stored devices; from then on devices are recorded.
    ///
    /// If recording is off, removes the stored devices.
    package func load() async throws(PlatformError) {
        guard isOn else { return try await store.removeAllSeenDevices() }
        for channel in try await store.seenChannels().keys {
            let window = SeenWindow(endingAt: instant(in: channel.app))
            var last: DeviceKey?
            var page: [SeenDevice]
            repeat {
                page = try await store.seenDevices(in: channel, after: last, upTo: Self.pageSize)
                last = page.last?.key
                await work.run { [page] in remember(page, in: channel, within: window) }
            } while page.count == Self.pageSize
        }
        isLoaded.store(true, ordering: .releasing)
    }

    private func remember(_ devices: [SeenDevice], in channel: SeenChannel, within window: SeenWindow) {
        for device in devices {
            let day = SeenWindow(endingAt: device.seenAt).day
            guard window.keeps(day: day) else { continue }
            let mark = channel.mark(of: device.key)
            let entry = SeenTable.Entry(mark: mark, holdings: device.have.map { Holdings($0).digest }, day: day)
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
        while true {
            let batch = queue.withLock { queue in
                let batch = Array(queue.notes.prefix(Self.batchSize))
                queue.notes.removeFirst(batch.count)
                for note in batch { queue.bytes -= note.bytes }
                return batch
            }
            guard !batch.isEmpty else { return }
            let devices = await work.run { Self.rows(of: batch) }
            do throws(PlatformError) { try await store.noteSeenDevices(devices) } catch {
                report(error)
                forget(batch)
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

    /// Removes old rows, once a day.
    package func sweep() async throws(PlatformError) {
        let today = SeenWindow(endingAt: clock.now()).day
        guard sweptOn.withLock({ $0 }) != today else { return }
        let windows = windows
        for channel in try await store.seenChannels().keys {
            let window = SeenWindow(endingAt: instant(in: channel.app))
            var last: DeviceKey?
            repeat {
                last = try await store.removeSeenDevices(
                    in: channel, notWithin: window.kept, after: last, upTo: Self.pageSize)
            } while last != nil
        }
        // Each step is a transaction of its own, so that devices are recorded between the steps.
        while try await store.removeUnusedTexts() > 0 {}
        // The table is pruned after the rows, and by every app's window: it never has fewer entries than there are
        // rows.
        for shard in shards {
            let gone = shard.table.withLock { table in
                table.keep { entry in windows.contains { $0.keeps(day: entry.day) } }
            }
            count.subtract(gone, ordering: .relaxed)
        }
        sweptOn.withLock { $0 = today }
    }

    /// Returns the decision instant of an app, which is never before its last activation.
    private func instant(in app: AppID) -> Timestamp {
        let now = clock.now()
        return live.app(app)?.decisionInstant(now) ?? now
    }

    /// The windows of all apps, one for each distinct day.
    private var windows: [SeenWindow] {
        let now = clock.now()
        var windows = [SeenWindow(endingAt: now)]
        for app in live.all {
            let window = SeenWindow(endingAt: app.decisionInstant(now))
            if !windows.contains(where: { $0.day == window.day }) { windows.append(window) }
        }
        return windows
    }
}
