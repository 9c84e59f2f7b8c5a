import Domain

/// The server's time between its answers: what it last said, and how long ago.
///
/// It runs up to a second behind, since answers say whole seconds. Nothing signs what they say; what is signed bounds it.
struct ServerClock {
    private let clock: any ClientClock
    private var said: (time: Timestamp, at: Duration)?
    private var vouched: (from: Timestamp, until: Timestamp, at: Duration)?

    init(_ clock: any ClientClock) {
        self.clock = clock
    }

    mutating func observe(_ head: ResponseHead) {
        guard let time = head.serverTime else { return }
        said = (time, clock.monotonic())
    }

    /// A signature was good when it came: so it was between these instants, and is by as much later as has passed since.
    mutating func vouch(from created: Timestamp, until expires: Timestamp) {
        vouched = (created, expires, clock.monotonic())
    }

    /// Where the server has said nothing, this machine's time; always within what a signature vouches for.
    var now: Timestamp {
        guard let vouched else { return told }
        let passed = (clock.monotonic() - vouched.at).milliseconds
        return min(
            max(told, vouched.from.adding(milliseconds: passed)), vouched.until.adding(milliseconds: passed))
    }

    /// The same without any bounds: what a new signature is measured by, which a wrong one of before must not keep out.
    var told: Timestamp {
        guard let said else { return clock.wall() }
        return said.time.adding(milliseconds: (clock.monotonic() - said.at).milliseconds)
    }

    /// How long it is until an instant; zero where it has come.
    func duration(until instant: Timestamp) -> Duration {
        .milliseconds(max(0, instant.milliseconds - now.milliseconds))
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
