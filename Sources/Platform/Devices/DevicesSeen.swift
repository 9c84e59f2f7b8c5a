package import Domain
package import Execution
import Synchronization

/// Notes which devices ask, for whoever wants to know how many a release is for (decision 0031).
///
/// Event loops only look whether a device is to be noted, and put it into a queue; what does not fit is dropped and
/// counted. Rows are written in batches, and go when nobody has seen their device for ``SeenWindow/days`` days.
package final class DevicesSeen: Sendable {
    /// Devices that a server remembers, unless it is told otherwise.
    package static let defaultLimit = 1_000_000
    /// Notes that may wait to be written, and that are written at once.
    package static let queueLength = 20_000
    /// Bytes of memory that they may take, by ``DeviceFacts/estimatedBytes``.
    package static let queueBytes = 32 << 20
    package static let batchSize = 1_000
    /// Rows that are read, or looked at for removing, at once.
    static let pageSize = 5_000
    private static let shardCount = 64
    /// How long a note waits for others, and how often it is looked whether a day has gone by.
    private static let patience: Duration = .seconds(1)
    private static let sweepPause: Duration = .seconds(600)
    /// How long it waits before it reads again what could not be read.
    private static let loadPause: Duration = .seconds(5)

    /// Figures of this process.
    package struct Figures: Sendable, Equatable {
        /// Devices that are remembered, and how many may be.
        package let devices: Int
        package let limit: Int
        /// Requests whose device should have been noted and was not.
        package let dropped: Int

        package var isLimitReached: Bool { devices >= limit }
    }

    private struct Note {
        let place: SeenPlace
        let mark: UInt64
        let facts: DeviceFacts
        let bytes: Int
        let instant: Timestamp
    }

    private struct Queue {
        var notes: [Note] = []
        /// Of all of them.
        var bytes = 0
    }

    private final class Shard: Sendable {
        let table = Mutex(SeenTable())
    }

    let live: LiveApps
    let store: any MetadataStore
    let clock: any WallClock
    let work: WorkExecutor
    /// Counting goes over all rows.
    let counting = AsyncGate(width: 1)
    private let limit: Int
    private let shards = (0..<shardCount).map { _ in Shard() }
    private let count = Atomic(0)
    private let dropped = Atomic(0)
    /// Whether what was noted before is known: until then nothing is noted.
    private let isLoaded = Atomic(false)
    private let queue = Mutex(Queue())
    private let arrived = AsyncFlag()
    private let isBatchFull = AsyncFlag()
    /// The day on which rows were removed last.
    private let sweptOn = Mutex<UInt16?>(nil)

    /// - Parameters:
    ///   - work: Where rows are made and read.
    ///   - limit: Devices that are remembered; 0 to note none, and to forget those that were noted.
    package init(
        live: LiveApps, store: any MetadataStore, clock: any WallClock, work: WorkExecutor, limit: Int = defaultLimit
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

    /// Notes a device that asks for what is on a channel, where it sent its id and is to be noted.
    ///
    /// Never waits: made for event loops.
    package func note(_ facts: DeviceFacts, in view: ChannelView) {
        guard isOn, let key = facts.identity?.key else { return }
        guard isLoaded.load(ordering: .acquiring) else {
            dropped.add(1, ordering: .relaxed)
            return
        }
        // The view's instant may be of a clock that was ahead.
        let instant = instant(in: view.app)
        let place = SeenPlace(app: view.app, channel: view.channel)
        let mark = place.mark(of: key)
        let day = SeenWindow(endingAt: instant).day
        let holdings = facts.holdings?.digest
        let isDropped = shard(of: mark).table.withLock { table in
            let known = table[mark]
            if let known, known.noted(holdings: holdings, on: day) == nil { return false }
            guard known != nil || takePlace() else { return true }
            let note = Note(
                place: place, mark: mark, facts: facts, bytes: facts.estimatedBytes, instant: instant)
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

    private func takePlace() -> Bool {
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

    /// Reads what was noted before, then writes what is noted and removes what is too old, until cancelled; what waits
    /// then is still written.
    ///
    /// - Parameter report: Called with what failed.
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

    /// Reads what was noted before; from then on devices are noted.
    ///
    /// Where none are to be noted, it forgets those that were.
    package func load() async throws(PlatformError) {
        guard isOn else { return try await store.removeAllSeenDevices() }
        for place in try await store.seenPlaces().keys {
            let window = SeenWindow(endingAt: instant(in: place.app))
            var last: DeviceKey?
            var page: [SeenDevice]
            repeat {
                page = try await store.seenDevices(at: place, after: last, upTo: Self.pageSize)
                last = page.last?.key
                await work.run { [page] in remember(page, at: place, within: window) }
            } while page.count == Self.pageSize
        }
        isLoaded.store(true, ordering: .releasing)
    }

    private func remember(_ devices: [SeenDevice], at place: SeenPlace, within window: SeenWindow) {
        for device in devices {
            let day = SeenWindow(endingAt: device.seenAt).day
            guard window.keeps(day: day) else { continue }
            let mark = place.mark(of: device.key)
            let entry = SeenTable.Entry(mark: mark, holdings: device.have.map { Holdings($0).digest }, day: day)
            shard(of: mark).table.withLock { table in
                if table[mark] == nil { count.add(1, ordering: .relaxed) }
                table.put(entry)
            }
        }
    }

    /// Writes what is noted by now; what the store does not take is dropped, and noted again when its device asks.
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

    private static func rows(of batch: [Note]) -> [SeenPlace: [SeenDevice]] {
        var devices: [SeenPlace: [SeenDevice]] = [:]
        for note in batch {
            guard let device = SeenDevice(note.facts, at: note.instant) else { continue }
            devices[note.place, default: []].append(device)
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

    /// Removes what is too old, once a day.
    package func sweep() async throws(PlatformError) {
        let today = SeenWindow(endingAt: clock.now()).day
        guard sweptOn.withLock({ $0 }) != today else { return }
        let windows = windows
        for place in try await store.seenPlaces().keys {
            let window = SeenWindow(endingAt: instant(in: place.app))
            var last: DeviceKey?
            repeat {
                last = try await store.removeSeenDevices(
                    at: place, notWithin: window.kept, after: last, upTo: Self.pageSize)
            } while last != nil
        }
        // Each step is a transaction of its own, between which devices are noted.
        while try await store.removeUnusedTexts() > 0 {}
        // Only then, and what any app may have a row of stays: there are never more rows than places.
        for shard in shards {
            let gone = shard.table.withLock { table in
                table.keep { entry in windows.contains { $0.keeps(day: entry.day) } }
            }
            count.subtract(gone, ordering: .relaxed)
        }
        sweptOn.withLock { $0 = today }
    }

    /// Never before the app's last activation, as all that is decided; that of another does not count.
    private func instant(in app: AppID) -> Timestamp {
        let now = clock.now()
        return live.app(app)?.decisionInstant(now) ?? now
    }

    /// Those of all apps, one of each day.
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
