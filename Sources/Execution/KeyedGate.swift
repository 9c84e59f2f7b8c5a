import Synchronization

/// Lets one task at a time through for each key, and the others of that key in the order in which they came.
package final class KeyedGate<Key: Hashable & Sendable>: Sendable {
    private struct Place {
        let gate = AsyncGate(width: 1)
        /// The tasks that are inside or wait.
        var users = 0
    }

    private let places = Mutex<[Key: Place]>([:])

    package init() {}

    /// The keys that tasks are inside for or wait for.
    package var count: Int { places.withLock { $0.count } }

    /// Runs `body` inside the gate of a key; see ``AsyncGate/pass(_:)``.
    package func pass<Result, Failure: Error>(
        _ key: Key, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let gate = places.withLock { places -> AsyncGate in
            var place = places[key] ?? Place()
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
        return try await gate.pass(body)
    }
}
