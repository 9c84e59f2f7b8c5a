/// The wall clock, passed in so that tests can move it.
package protocol WallClock: Sendable {
    func now() -> Timestamp
}
