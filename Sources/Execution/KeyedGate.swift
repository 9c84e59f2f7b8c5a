import Synchronization

/// A lock for each key: admits one task per key and queues the rest fairly by client (``FairGate``).
package final class KeyedGate<Key: Hashable & Sendable, Client: Hashable & Sendable>: Sendable {
    private struct Entry {
        let gate: FairGate<Client>
        /// The tasks that are inside or wait.
        var users = 0
    }

    private let capacity: Int
    private let entries = Mutex<[Key: Entry]>([:])

    /// - Parameter capacity: The maximum number of waiting tasks per key.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// The number of keys with tasks inside or waiting.
    package var count: Int { entries.withLock { $0.count } }

    /// Runs `body` inside the gate of a key, or returns `nil` without running it if too many wait.
    package func pass<Result, Failure: Error>(
        _ key: Key, as client: Client, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result? {
        let gate = entries.withLock { entries -> FairGate<Client> in
            var entry = entries[key] ?? Entry(gate: FairGate(width: 1, capacity: capacity))
            entry.users += 1
            entries[key] = entry
            return entry.gate
        }
        defer {
            entries.withLock { entries in
                entries[key]?.users -= 1
                if entries[key]?.users == 0 { entries[key] = nil }
            }
        }
        return try await gate.pass(as: client, body)
    }
}
