import Domain

/// The server's time between its answers: what it last said, and how long ago.
///
/// It runs up to a second behind, since answers say whole seconds; never ahead.
struct ServerClock {
    private let clock: any ClientClock
    private var said: (time: Timestamp, at: Duration)?

    init(_ clock: any ClientClock) {
        self.clock = clock
    }

    mutating func observe(_ head: ResponseHead) {
        guard let time = head.serverTime else { return }
        said = (time, clock.monotonic())
    }

    /// This machine's time where the server has said none.
    var now: Timestamp {
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
