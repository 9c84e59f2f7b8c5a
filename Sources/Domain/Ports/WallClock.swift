package import Ground

/// The wall clock, passed in so that tests can control it.
package protocol WallClock: Sendable {
    func now() -> Timestamp
}
