import Synchronization

/// A queue that shares work fairly between clients (keys); several tasks may wait for one item of work.
///
/// One task works on an item, and all that wait for it get its outcome.
///
/// Items start first in, first out for each key, and round robin over keys. An item that several keys wait for starts
/// when the first of them is next. A key has a limited number of items in work, so that it cannot occupy the queue.
package final class FairQueue<Key: Hashable & Sendable, Item: Hashable & Sendable, Outcome: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Decision, Never>

    private enum Decision: Sendable {
        /// The task works on the item.
        case work
        /// Another task has worked on it.
        case done(Outcome)
        case rejected
    }

    private let schedule: Mutex<FairSchedule<Key, Item, Waiter>>

    /// - Parameters:
    ///   - width: The number of slots: the maximum number of items in work; at least one.
    ///   - widthOfKey: The maximum number of slots that one key uses; at least one.
    ///   - capacity: The maximum number of positions in the queue, one for each key and item.
    package init(width: Int, widthOfKey: Int, capacity: Int) {
        schedule = Mutex(FairSchedule(width: width, widthOfKey: widthOfKey, capacity: capacity))
    }

    /// Returns the outcome of `body` for an item, of this call or of a concurrent one; `nil` if the task is rejected.
    ///
    /// If all positions are taken, the newest one of the key with the most is rejected, unless this key has as many as
    /// the average key. Then this task is, or it shares the position of another key that waits for the same item.
    package func outcome(of item: Item, as key: Key, _ body: () async -> Outcome) async -> Outcome? {
        let decision = await withCheckedContinuation { (waiter: Waiter) in
            let (starts, rejected) = schedule.withLock { schedule in
                let rejected = schedule.add(waiter, for: item, as: key)
                return (schedule.start(), rejected)
            }
            for waiter in rejected { waiter.resume(returning: .rejected) }
            for waiter in starts { waiter.resume(returning: .work) }
        }
        switch decision {
        case .done(let outcome): return outcome
        case .rejected: return nil
        case .work: break
        }
        let outcome = await body()
        let (starts, done) = schedule.withLock { schedule in
            let done = schedule.finish(item)
            return (schedule.start(), done)
        }
        for waiter in done { waiter.resume(returning: .done(outcome)) }
        for waiter in starts { waiter.resume(returning: .work) }
        return outcome
    }
}

/// The order in which items start, as a value.
struct FairSchedule<Key: Hashable, Item: Hashable, Waiter> {
    /// An item that has not started.
    private struct Queued {
        var waiters: [(key: Key, waiter: Waiter)] = []
        /// The number of keys that have a position for it; at least one.
        var positions = 0
    }

    /// An item in work.
    private struct Started {
        /// The key that uses the slot.
        let key: Key
        var waiters: [Waiter]
    }

    private let widthOfKey: Int
    private let capacity: Int
    /// The number of unused slots.
    private var free: Int
    private var queued: [Item: Queued] = [:]
    private var started: [Item: Started] = [:]
    /// The positions of each key, which has at least one.
    private var lines: [Key: WaitingLine<Item>] = [:]
    /// The number of slots that each key uses.
    private var active: [Key: Int] = [:]
    /// The keys that have positions and may start a further item, the next one first.
    private var rotation = WaitingLine<Key>()
    private var positions = 0

    init(width: Int, widthOfKey: Int, capacity: Int) {
        precondition(width > 0 && widthOfKey > 0)
        free = width
        self.widthOfKey = widthOfKey
        self.capacity = capacity
    }

    /// Adds a waiter; returns the waiters that are rejected instead, which may include it.
    ///
    /// Call ``start()`` afterwards.
    mutating func add(_ waiter: Waiter, for item: Item, as key: Key) -> [Waiter] {
        guard started[item] == nil else {
            started[item]?.waiters.append(waiter)
            return []
        }
        let isQueued = queued[item] != nil
        let hasPosition = isQueued && (lines[key]?.elements.contains(item) ?? false)
        // An item that starts at once does not wait.
        let isLimited = free == 0 || active[key] ?? 0 >= widthOfKey
        if isLimited, !hasPosition, positions >= capacity, !isBelowAverage(key) {
            // The position of another key is shared, so that many keys can wait for few items.
            guard isQueued else { return [waiter] }
            queued[item]?.waiters.append((key, waiter))
            return []
        }
        queued[item, default: Queued()].waiters.append((key, waiter))
        guard !hasPosition else { return [] }
        queued[item]?.positions += 1
        positions += 1
        if lines[key] == nil, active[key] ?? 0 < widthOfKey { rotation.append(key) }
        lines[key, default: WaitingLine()].append(item)
        return isLimited && positions > capacity ? rejectLastOfLongest() : []
    }

    /// Starts as many items as may be in work; returns the waiters that work on them.
    mutating func start() -> [Waiter] {
        var starts: [Waiter] = []
        while free > 0, let key = rotation.popFirst() {
            guard let item = lines[key]?.popFirst(), let entry = queued.removeValue(forKey: item),
                let leader = entry.waiters.firstIndex(where: { $0.key == key })
            else { preconditionFailure("a key in the rotation has a position, and a waiter for it") }
            free -= 1
            positions -= entry.positions
            active[key, default: 0] += 1
            if lines[key]?.isEmpty ?? true {
                lines[key] = nil
            } else if active[key] ?? 0 < widthOfKey {
                rotation.append(key)
            }
            if entry.positions > 1 { removePositions(for: item) }
            var waiters = entry.waiters.map(\.waiter)
            starts.append(waiters.remove(at: leader))
            started[item] = Started(key: key, waiters: waiters)
        }
        return starts
    }

    /// Ends the work on an item; returns the other waiters for it.
    mutating func finish(_ item: Item) -> [Waiter] {
        guard let entry = started.removeValue(forKey: item), let count = active[entry.key] else {
            preconditionFailure("an item that ends has started")
        }
        free += 1
        active[entry.key] = count > 1 ? count - 1 : nil
        if count == widthOfKey, lines[entry.key] != nil { rotation.append(entry.key) }
        return entry.waiters
    }

    /// Whether a key has fewer positions than the average of those that have some, and some key has several.
    private func isBelowAverage(_ key: Key) -> Bool {
        positions > lines.count && (lines[key]?.count ?? 0) * lines.count < positions
    }

    /// Removes the positions of an item; there are no more than ``capacity``.
    private mutating func removePositions(for item: Item) {
        for key in Array(lines.keys) where lines[key]?.elements.contains(item) ?? false {
            lines[key]?.remove { $0 == item }
            dropIfEmpty(key)
        }
    }

    private mutating func dropIfEmpty(_ key: Key) {
        guard lines[key]?.isEmpty ?? false else { return }
        lines[key] = nil
        rotation.remove { $0 == key }
    }

    /// Removes the newest position of the key with the most; returns its waiters, or all of the item if no position
    /// remains.
    private mutating func rejectLastOfLongest() -> [Waiter] {
        guard let longest = lines.max(by: { $0.value.count < $1.value.count })?.key,
            let item = lines[longest]?.popLast(), let entry = queued[item]
        else { return [] }
        dropIfEmpty(longest)
        positions -= 1
        guard entry.positions > 1 else {
            queued[item] = nil
            return entry.waiters.map(\.waiter)
        }
        queued[item] = Queued(waiters: entry.waiters.filter { $0.key != longest }, positions: entry.positions - 1)
        return entry.waiters.filter { $0.key == longest }.map(\.waiter)
    }
}
