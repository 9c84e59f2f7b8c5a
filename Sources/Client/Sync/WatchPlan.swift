import Domain

/// When a watch does what: a value that is told what happened.
struct WatchPlan {
    /// Two polls begin at least this far apart, whatever the server answers.
    static let pace = Duration.seconds(1)

    /// What `/push` said last, or the first config.
    private(set) var cursor: String?
    /// Instants up to here have been seen to, by the server's time.
    private(set) var handled: Timestamp?
    /// What was due up to here was tried, whatever came of it.
    private var tried: Timestamp?
    private var passDue: Duration
    private var lastPoll: Duration?
    private var backoff = Backoff()
    private var generator = SystemRandomNumberGenerator()

    init(now: Duration) {
        passDue = now
    }

    /// How long it is until the next pass; zero where it is due.
    func untilPass(at now: Duration) -> Duration { max(.zero, passDue - now) }

    /// A pass was made; one that failed in part is made again soon.
    mutating func passed(
        isSuccess: Bool, cursor: String?, seenTo instant: Timestamp, pollAfter: Duration, at now: Duration
    ) {
        // The cursor of a poll is never gone back from: a config may tell an older one.
        self.cursor = self.cursor ?? cursor
        handled = instant
        if isSuccess {
            backoff.reset()
            passDue = now + pollAfter
        } else {
            passDue = now + backoff.next(using: &generator)
        }
    }

    /// What is due by itself is about to be done.
    mutating func applying(upTo instant: Timestamp) { tried = instant }

    /// Instants up to here call for nothing more before the next try.
    var seen: Timestamp? { [handled, tried].compactMap(\.self).max() }

    /// What was due by itself was done.
    mutating func applied(isSuccess: Bool, seenTo instant: Timestamp, at now: Duration) {
        handled = instant
        if !isSuccess { passDue = min(passDue, now + backoff.next(using: &generator)) }
    }

    /// How long to hold back the next poll, which then counts as begun.
    mutating func pauseBeforePoll(at now: Duration) -> Duration {
        let pause = lastPoll.map { max(.zero, $0 + Self.pace - now) } ?? .zero
        lastPoll = now + pause
        return pause
    }

    /// `/push` answered.
    mutating func polled(hasNews: Bool, cursor: String?, at now: Duration) {
        self.cursor = cursor ?? self.cursor
        if hasNews { passDue = now } else { backoff.reset() }
    }

    /// The server could not be asked; how long to wait.
    mutating func failed() -> Duration { backoff.next(using: &generator) }
}
