package import Domain
package import Ground
import HTTP
import Synchronization

/// A token bucket for each key that limits how many requests the key may make.
///
/// The number of remembered keys is bounded: the keys seen longest ago are forgotten and start again with a full
/// bucket.
package final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    private let rate: TokenBucket.Rate
    private let elapsed: @Sendable () -> Duration
    private let buckets: Mutex<Generations<Key, TokenBucket>>

    /// - Parameters:
    ///   - elapsed: A clock that never jumps.
    ///   - capacity: The number of keys to remember.
    package init(_ rate: TokenBucket.Rate, elapsed: @escaping @Sendable () -> Duration, capacity: Int = 65_536) {
        self.rate = rate
        self.elapsed = elapsed
        buckets = Mutex(Generations(capacity: max(capacity, 2)))
    }

    /// Counts a request, or throws `rateLimited` if it exceeds the rate; a rejected request does not count.
    package func admit(_ key: Key) throws(PlatformError) {
        let now = elapsed()
        let wait = buckets.withLock { buckets in
            var bucket = buckets.find(key) ?? TokenBucket(at: now)
            let wait = bucket.take(rate, at: now)
            buckets.keep(bucket, under: key)
            return wait
        }
        guard let wait else { return }
        // Rounded up, so that a token is available after this time.
        let seconds = Int((wait + .nanoseconds(999_999_999)).components.seconds)
        throw PlatformError(
            .rateLimited, "There are too many requests from this address or token. Try again in \(seconds) s.",
            retryAfter: seconds)
    }

    /// The number of remembered keys.
    package var count: Int { buckets.withLock { $0.count } }
}
