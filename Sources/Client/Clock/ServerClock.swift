import Domain
import Ground
import Transport

/// An estimate of the server's time: the time of its last response plus the time passed since.
///
/// The estimate is up to a second late, since responses carry whole seconds. Their time is unsigned; the validity
/// periods of signatures bound it.
struct ServerClock {
    private let clock: any ClientClock
    private var received: (time: Timestamp, at: Duration)?
    private var vouched: (from: Timestamp, until: Timestamp, at: Duration)?

    init(_ clock: any ClientClock) {
        self.clock = clock
    }

    mutating func observe(_ head: ResponseHead) {
        guard let time = head.serverTime else { return }
        received = (time, clock.monotonic())
    }

    /// Bounds the estimate by the validity period of a verified signature, shifted by the time that has passed since.
    mutating func vouch(from created: Timestamp, until expires: Timestamp) {
        vouched = (created, expires, clock.monotonic())
    }

    /// The server's time within the bounds of a signature; this machine's time if no response has arrived.
    var now: Timestamp {
        guard let vouched else { return estimate }
        let passed = (clock.monotonic() - vouched.at).milliseconds
        return min(
            max(estimate, vouched.from.adding(milliseconds: passed)), vouched.until.adding(milliseconds: passed))
    }

    /// The server's time without bounds.
    ///
    /// New signatures are checked against it, so that a signature with wrong times cannot exclude later ones.
    var estimate: Timestamp {
        guard let received else { return clock.wall() }
        return received.time.adding(milliseconds: (clock.monotonic() - received.at).milliseconds)
    }

    /// Returns the time until an instant; zero if it has passed.
    func duration(until instant: Timestamp) -> Duration {
        .milliseconds(max(0, instant.milliseconds - now.milliseconds))
    }
}

extension Duration {
    /// The whole milliseconds, rounded down.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
