package import Ground

/// The state of a webhook's deliveries, and the rules for retries.
package struct WebhookProgress: Sendable, Equatable {
    /// The id of the newest audit entry that was delivered or that no pattern matches.
    package var deliveredThrough: Int64
    /// The number of failed attempts since the last delivery.
    package private(set) var failures: Int
    /// The time of the first of them.
    package private(set) var failingSince: Timestamp?
    /// The time of the next attempt.
    package private(set) var nextAt: Timestamp

    /// The time for which a message is retried; then the webhook is paused.
    package static let patience: Int64 = 24 * 3_600_000
    /// The failed attempts before a pause: the clock alone may have jumped.
    package static let pausingFailures = 24
    /// The delay after the first failure, which doubles with each further one.
    package static let firstDelay: Int64 = 5_000
    /// The longest delay that doubling reaches.
    package static let longestDelay: Int64 = 15 * 60_000
    /// The longest delay that a receiver can ask for by `Retry-After`.
    package static let longestRetryAfter: Int64 = 3_600_000

    package init(deliveredThrough: Int64, failures: Int = 0, failingSince: Timestamp? = nil, nextAt: Timestamp) {
        self.deliveredThrough = deliveredThrough
        self.failures = failures
        self.failingSince = failingSince
        self.nextAt = nextAt
    }

    /// Returns the state after the delivery of an entry.
    package func delivered(_ entry: Int64, at now: Timestamp) -> WebhookProgress {
        WebhookProgress(deliveredThrough: entry, nextAt: now)
    }

    /// Returns the state after a failed attempt, with a pause if the webhook has failed for too long or is gone.
    package func failed(_ outcome: WebhookOutcome, at now: Timestamp) -> (WebhookProgress, Webhook.Pause?) {
        // The clock may have been set back since the first failure.
        let since = min(failingSince ?? now, now)
        let delay = max(Self.delay(afterFailures: failures + 1), min(outcome.retryAfter ?? 0, Self.longestRetryAfter))
        let state = WebhookProgress(
            deliveredThrough: deliveredThrough, failures: failures + 1, failingSince: since,
            nextAt: now.adding(milliseconds: delay))
        if outcome.isGone {
            return (state, Webhook.Pause(time: now, reason: "the receiver responded 410: it is gone"))
        }
        guard now.milliseconds - since.milliseconds >= Self.patience, state.failures >= Self.pausingFailures else {
            return (state, nil)
        }
        let reason = "\(state.failures) attempts since \(since.rfc3339) failed; the last one: \(outcome.reason)"
        return (state, Webhook.Pause(time: now, reason: reason))
    }

    /// Returns the delay in milliseconds after a number of failures, at least one.
    package static func delay(afterFailures failures: Int) -> Int64 {
        let doublings = min(failures - 1, 20)
        return min(firstDelay << Int64(doublings), longestDelay)
    }
}
