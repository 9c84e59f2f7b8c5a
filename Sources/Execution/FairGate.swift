import Synchronization

/// A semaphore that admits up to `width` tasks and queues the rest.
///
/// The order is first in, first out for each key, and round robin over keys.
///
/// The first waiting task of a key waits for at most one task of each other key.
package final class FairGate<Key: Hashable & Sendable>: Sendable {
    fileprivate typealias Waiter = CheckedContinuation<Bool, Never>

    fileprivate struct State {
        var free: Int
        var queues: [Key: WaitingLine<Waiter>] = [:]
        /// The keys that have waiting tasks, the next one first.
        var rotation = WaitingLine<Key>()
        var waiting = 0
    }

    private let capacity: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - width: The maximum number of tasks inside at once; at least one.
    ///   - capacity: The maximum number of waiting tasks. Past it, the newest task of the longest queue is rejected;
    ///     the arriving task is if its key has as many waiting tasks as the average key.
    package init(width: Int, capacity: Int) {
        precondition(width > 0)
        self.capacity = capacity
        state = Mutex(State(free: width))
    }

    /// Runs `body` once admitted, or returns `nil` without running it if the task is rejected.
    package func pass<Result, Failure: Error>(
        as key: Key, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result? {
        guard await enter(as: key) else { return nil }
        defer { leave() }
        return try await body()
    }

    private func enter(as key: Key) async -> Bool {
        await withCheckedContinuation { (waiter: Waiter) in
            let decided: (waiter: Waiter, isAdmitted: Bool)? = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return (waiter, true)
                }
                guard state.waiting >= capacity else {
                    state.append(waiter, as: key)
                    return nil
                }
                // Finds the longest queue only if it is longer than the one of the key.
                guard state.isBelowAverage(key) else { return (waiter, false) }
                state.append(waiter, as: key)
                return state.removeLastOfLongest().map { ($0, false) }
            }
            decided?.waiter.resume(returning: decided?.isAdmitted ?? false)
        }
    }

    private func leave() {
        let next = state.withLock { state -> Waiter? in
            let next = state.removeFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume(returning: true)
    }
}

extension FairGate.State {
    fileprivate mutating func append(_ waiter: FairGate.Waiter, as key: Key) {
        if queues[key] == nil { rotation.append(key) }
        queues[key, default: WaitingLine()].append(waiter)
        waiting += 1
    }

    /// Whether a key has fewer waiting tasks than the average of those that have some, and some key has several.
    fileprivate func isBelowAverage(_ key: Key) -> Bool {
        waiting > rotation.count && (queues[key]?.count ?? 0) * rotation.count < waiting
    }

    /// Removes the next task and moves its key to the end.
    fileprivate mutating func removeFirst() -> FairGate.Waiter? {
        guard let key = rotation.popFirst(), let waiter = queues[key]?.popFirst() else { return nil }
        if queues[key]?.isEmpty ?? true { queues[key] = nil } else { rotation.append(key) }
        waiting -= 1
        return waiter
    }

    /// Removes the newest task of the key with the most tasks; among equals, of the last key.
    fileprivate mutating func removeLastOfLongest() -> FairGate.Waiter? {
        let longest = rotation.elements.reversed().max { (queues[$0]?.count ?? 0) < (queues[$1]?.count ?? 0) }
        guard let longest, let waiter = queues[longest]?.popLast() else { return nil }
        if queues[longest]?.isEmpty ?? false {
            queues[longest] = nil
            rotation.remove { $0 == longest }
        }
        waiting -= 1
        return waiter
    }
}
