/// A token bucket, which fills at a constant rate up to a burst; each request takes one token.
///
/// Stores only the instant at which the bucket is full again: a full bucket equals a new one and can be discarded.
package struct TokenBucket: Sendable, Hashable {
    package struct Rate: Sendable, Hashable {
        /// The time between two tokens.
        fileprivate let interval: Duration
        /// The time in which an empty bucket fills.
        fileprivate let capacity: Duration

        /// - Parameters:
        ///   - perSecond: The tokens per second, from one to ``most``.
        ///   - burst: The tokens of a full bucket, at least one.
        package init(perSecond: Int, burst: Int) {
            precondition((1...Self.most).contains(perSecond) && burst >= 1, "a rate lets something through")
            interval = .nanoseconds(1_000_000_000 / perSecond)
            capacity = interval * burst
        }

        package static let most = 1_000_000
    }

    private var fullAt: Duration

    /// Creates a full bucket.
    ///
    /// - Parameter now: The time of a monotonic clock, here and in later calls.
    package init(at now: Duration) {
        fullAt = now
    }

    /// Takes a token, or returns the time until the next one if the bucket is empty.
    package mutating func take(_ rate: Rate, at now: Duration) -> Duration? {
        let next = max(fullAt, now) + rate.interval
        guard next - now <= rate.capacity else { return next - now - rate.capacity }
        fullAt = next
        return nil
    }
}
