import Glibc

/// Waits by looking, with an end.
enum Waiting {
    /// A deadline that only a fault reaches: on an idle machine everything that is awaited takes moments, and on a busy
    /// one it may take minutes.
    static let patience = Duration.seconds(600)

    struct TimedOut: Error, CustomStringConvertible {
        let description: String
    }

    /// Looks until there is a value; throws ``TimedOut`` where there is none for too long.
    ///
    /// - Parameters:
    ///   - what: What is waited for, for the person who reads the failure.
    ///   - more: What else that person should see.
    static func forValue<Value>(
        _ what: String, upTo limit: Duration = patience, _ look: () throws -> Value?, more: () -> String = { "" }
    ) throws -> Value {
        let end = ContinuousClock.now + limit
        while true {
            if let value = try look() { return value }
            guard ContinuousClock.now < end else {
                throw TimedOut(description: "waited for \(what) for \(limit) in vain. \(more())")
            }
            usleep(3_000)
        }
    }

    static func until(
        _ what: String, upTo limit: Duration = patience, _ look: () throws -> Bool, more: () -> String = { "" }
    ) throws {
        _ = try forValue(what, upTo: limit, { try look() ? true : nil }, more: more)
    }
}
