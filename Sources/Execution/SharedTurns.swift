import Synchronization

/// A queue of items that several tasks may wait for; each item is worked on by one task, whose outcome all get.
///
/// Items start first in, first out for each key, and round robin over keys. An item that several keys wait for starts
/// when the first of them is next. A key has a limited number of items in work, so that it cannot occupy the queue.
package final class SharedTurns<Key: Hashable & Sendable, Item: Hashable & Sendable, Outcome: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Turn, Never>

    private enum Turn: Sendable {
        /// The task works on the item.
        case work
        /// Another task has worked on it.
        case done(Outcome)
        case rejected
    }

    private let schedule: Mutex<TurnSchedule<Key, Item, Waiter>>

    /// - Parameters:
    ///   - width: The maximum number of items in work; at least one.
    ///   - widthOfKey: The maximum number of items in work for one key; at least one.
    ///   - capacity: The maximum number of waiting places, one for each key and item.
    package init(width: Int, widthOfKey: Int, capacity: Int) {
        schedule = Mutex(TurnSchedule(width: width, widthOfKey: widthOfKey, capacity: capacity))
    }

    /// Returns the outcome of `body` for an item, of this call or of a concurrent one; `nil` if the task is rejected.
    ///
    /// If the places are taken, the newest one of the key with the most is rejected, unless this key has as many as the
    /// average key. Then this task is, or it shares the place of another key that waits for the same item.
    package func outcome(of item: Item, as key: Key, _ body: () async -> Outcome) async -> Outcome? {
        let turn = await withCheckedContinuation { (waiter: Waiter) in
            let (starts, rejected) = schedule.withLock { schedule in
                let rejected = schedule.add(waiter, for: item, as: key)
                return (schedule.start(), rejected)
            }
            for waiter in rejected { waiter.resume(returning: .rejected) }
            for waiter in starts { waiter.resume(returning: .work) }
        }
        switch turn {
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
struct TurnSchedule<Key: Hashable, Item: Hashable, Waiter> {
    /// An item that has not started.
    private struct Queued {
        var waiters: [(key: Key, waiter: Waiter)] = []
        /// The number of keys that have a place for it; at least one.
        var places = 0
    }

    /// An item in work.
    private struct Started {
        /// The key whose turn it was.
        let key: Key
        var waiters: [Waiter]
    }

    private let widthOfKey: Int
    private let capacity: Int
    private var free: Int
    private var queued: [Item: Queued] = [:]
    private var started: [Item: Started] = [:]
    /// The places of each key, which has at least one.
    private var lines: [Key: WaitingLine<Item>] = [:]
    /// The number of items in work for each key.
    private var active: [Key: Int] = [:]
    /// The keys that have places and may start a further item, the next one first.
    private var rotation = WaitingLine<Key>()
    private var places = 0

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
        let hasPlace = isQueued && (lines[key]?.elements.contains(item) ?? false)
        // An item that starts at once does not wait.
        let isLimited = free == 0 || active[key] ?? 0 >= widthOfKey
        if isLimited, !hasPlace, places >= capacity, !isBelowAverage(key) {
            // The place of another key is shared, so that many keys can wait for few items.
            guard isQueued else { return [waiter] }
            queued[item]?.waiters.append((key, waiter))
            return []
        }
        queued[item, default: Queued()].waiters.append((key, waiter))
        guard !hasPlace else { return [] }
        queued[item]?.places += 1
        places += 1
        if lines[key] == nil, active[key] ?? 0 < widthOfKey { rotation.append(key) }
        lines[key, default: WaitingLine()].append(item)
        return isLimited && places > capacity ? rejectLastOfLongest() : []
    }

    /// Starts as many items as may be in work; returns the waiters that work on them.
    mutating func start() -> [Waiter] {
        var starts: [Waiter] = []
        while free > 0, let key = rotation.popFirst() {
            guard let item = lines[key]?.popFirst(), let entry = queued.removeValue(forKey: item),
                let leader = entry.waiters.firstIndex(where: { $0.key == key })
            else { preconditionFailure("a key in the rotation has a place, and a waiter for it") }
            free -= 1
            places -= entry.places
            active[key, default: 0] += 1
            if lines[key]?.isEmpty ?? true {
                lines[key] = nil
            } else if active[key] ?? 0 < widthOfKey {
                rotation.append(key)
            }
            if entry.places > 1 { removePlaces(for: item) }
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

    /// Whether a key has fewer places than the average of those that have some, and some key has several.
    private func isBelowAverage(_ key: Key) -> Bool {
        places > lines.count && (lines[key]?.count ?? 0) * lines.count < places
    }

    /// Removes the places of an item; there are no more than ``capacity``.
    private mutating func removePlaces(for item: Item) {
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

    /// Removes the newest place of the key with the most; returns its waiters, and all of its item if no place remains.
    private mutating func rejectLastOfLongest() -> [Waiter] {
        guard let longest = lines.max(by: { $0.value.count < $1.value.count })?.key,
            let item = lines[longest]?.popLast(), let entry = queued[item]
        else { return [] }
        dropIfEmpty(longest)
        places -= 1
        guard entry.places > 1 else {
            queued[item] = nil
            return entry.waiters.map(\.waiter)
        }
        queued[item] = Queued(waiters: entry.waiters.filter { $0.key != longest }, places: entry.places - 1)
        return entry.waiters.filter { $0.key == longest }.map(\.waiter)
    }
}
