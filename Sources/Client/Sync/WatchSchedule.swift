import Domain
import Ground

/// The schedule of a watch: a value without I/O that is updated with each event.
struct WatchSchedule {
    /// The minimum time between the starts of two polls, whatever the server responds.
    static let pace = Duration.seconds(1)

    /// The cursor of the last `/push` response, or of the first config.
    private(set) var cursor: String?
    /// The instant, in server time, up to which due offers were applied.
    private(set) var handled: Timestamp?
    /// The instant up to which due offers were tried, successfully or not.
    private var tried: Timestamp?
    private var passDue: Duration
    private var lastPoll: Duration?
    private var backoff = Backoff()
    private var generator = SystemRandomNumberGenerator()

    init(now: Duration) {
        passDue = now
    }

    /// Returns the time until the next pass; zero if it is due.
    func untilPass(at now: Duration) -> Duration { max(.zero, passDue - now) }

    /// Records a pass; a partial failure schedules the next pass soon.
    mutating func passed(
        isSuccess: Bool, cursor: String?, seenTo instant: Timestamp, pollAfter: Duration, at now: Duration
    ) {
        // A poll's cursor is never replaced by a config's, which may be older.
        self.cursor = self.cursor ?? cursor
        handled = instant
        if isSuccess {
            backoff.reset()
            passDue = now + pollAfter
        } else {
            passDue = now + backoff.next(using: &generator)
        }
    }

    /// Records that due offers are about to be applied.
    mutating func applying(upTo instant: Timestamp) { tried = instant }

    /// The instant up to which no action is due before the next attempt.
    var seen: Timestamp? { [handled, tried].compactMap(\.self).max() }

    /// Records that due offers were applied.
    mutating func applied(isSuccess: Bool, seenTo instant: Timestamp, at now: Duration) {
        handled = instant
        if !isSuccess { passDue = min(passDue, now + backoff.next(using: &generator)) }
    }

    /// Returns the pause before the next poll, and records the poll's start.
    mutating func pauseBeforePoll(at now: Duration) -> Duration {
        let pause = lastPoll.map { max(.zero, $0 + Self.pace - now) } ?? .zero
        lastPoll = now + pause
        return pause
    }

    /// Records a `/push` response.
    mutating func polled(hasNews: Bool, cursor: String?, at now: Duration) {
        self.cursor = cursor ?? self.cursor
        if hasNews { passDue = now } else { backoff.reset() }
    }

    /// Records a failed request; returns the wait before the next one.
    mutating func failed() -> Duration { backoff.next(using: &generator) }
}
