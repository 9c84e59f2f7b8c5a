/// A bucket that fills with tokens steadily, up to a burst; whoever asks takes one.
///
/// Kept as the moment at which it is full again: one that is full is as good as a new one, and may be forgotten.
package struct TokenBucket: Sendable, Hashable {
    package struct Rate: Sendable, Hashable {
        /// From one token to the next.
        fileprivate let interval: Duration
        /// For all tokens of a full bucket to come.
        fileprivate let capacity: Duration

        /// - Parameters:
        ///   - perSecond: Tokens a second, from one to ``most``.
        ///   - burst: Tokens of a full bucket, from one on.
        package init(perSecond: Int, burst: Int) {
            precondition((1...Self.most).contains(perSecond) && burst >= 1, "a rate lets something through")
            interval = .nanoseconds(1_000_000_000 / perSecond)
            capacity = interval * burst
        }

        package static let most = 1_000_000
    }

    private var fullAt: Duration

    /// A full one.
    ///
    /// - Parameter now: By a clock that never jumps, here and later.
    package init(at now: Duration) {
        fullAt = now
    }

    /// Takes a token; how long it is until there is one, where there is none.
    package mutating func take(_ rate: Rate, at now: Duration) -> Duration? {
        let next = max(fullAt, now) + rate.interval
        guard next - now <= rate.capacity else { return next - now - rate.capacity }
        fullAt = next
        return nil
    }
}
