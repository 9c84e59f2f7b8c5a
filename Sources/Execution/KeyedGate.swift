import Synchronization

/// A lock for each key: admits one task per key and queues the rest fairly by client (``FairGate``).
package final class KeyedGate<Key: Hashable & Sendable, Client: Hashable & Sendable>: Sendable {
    private struct Place {
        let gate: FairGate<Client>
        /// The tasks that are inside or wait.
        var users = 0
    }

    private let capacity: Int
    private let places = Mutex<[Key: Place]>([:])

    /// - Parameter capacity: The maximum number of waiting tasks per key.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// The number of keys with tasks inside or waiting.
    package var count: Int { places.withLock { $0.count } }

    /// Runs `body` inside the gate of a key, or returns `nil` without running it if too many wait.
    package func pass<Result, Failure: Error>(
        _ key: Key, as client: Client, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result? {
        let gate = places.withLock { places -> FairGate<Client> in
            var place = places[key] ?? Place(gate: FairGate(width: 1, capacity: capacity))
            place.users += 1
            places[key] = place
            return place.gate
        }
        defer {
            places.withLock { places in
                places[key]?.users -= 1
                if places[key]?.users == 0 { places[key] = nil }
            }
        }
        return try await gate.pass(as: client, body)
    }
}
