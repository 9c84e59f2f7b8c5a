import Glibc

/// Polling with a deadline.
enum Waiting {
    /// A deadline that only a fault reaches: on an idle machine every wait takes moments, and on a busy one it may take
    /// minutes.
    static let patience = Duration.seconds(600)

    struct TimedOut: Error, CustomStringConvertible {
        let description: String
    }

    /// Polls until there is a value; throws ``TimedOut`` after the deadline.
    ///
    /// - Parameters:
    ///   - what: The object of the wait, for the error message.
    ///   - more: Further information for the error message.
    static func forValue<Value>(
        _ what: String, upTo limit: Duration = patience, _ check: () throws -> Value?, more: () -> String = { "" }
    ) throws -> Value {
        let end = ContinuousClock.now + limit
        while true {
            if let value = try check() { return value }
            guard ContinuousClock.now < end else {
                throw TimedOut(description: "waited for \(what) for \(limit) in vain. \(more())")
            }
            usleep(3_000)
        }
    }

    static func until(
        _ what: String, upTo limit: Duration = patience, _ check: () throws -> Bool, more: () -> String = { "" }
    ) throws {
        _ = try forValue(what, upTo: limit, { try check() ? true : nil }, more: more)
    }
}
