package import Domain
package import HTTP
import Synchronization

/// A token bucket for each key that limits how many requests the key may make.
///
/// The number of remembered keys is bounded: the keys seen longest ago are forgotten and start again with a full
/// bucket.
package final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    /// The buckets in two generations: keys seen since the last switch, and keys seen before it.
    ///
    /// When `recent` is full it replaces `earlier`, whose keys are forgotten; no search is necessary.
    private struct Table {
        var recent: [Key: TokenBucket] = [:]
        var earlier: [Key: TokenBucket] = [:]
    }

    private let rate: TokenBucket.Rate
    private let elapsed: @Sendable () -> Duration
    private let half: Int
    private let table = Mutex(Table())

    /// - Parameters:
    ///   - elapsed: A clock that never jumps.
    ///   - capacity: The number of keys to remember.
    package init(_ rate: TokenBucket.Rate, elapsed: @escaping @Sendable () -> Duration, capacity: Int = 65_536) {
        self.rate = rate
        self.elapsed = elapsed
        half = max(capacity / 2, 1)
    }

    /// Counts a request, or throws `rateLimited` if it exceeds the rate; a rejected request does not count.
    package func admit(_ key: Key) throws(PlatformError) {
        let now = elapsed()
        let wait = table.withLock { table in
            var bucket = table.recent[key] ?? table.earlier[key] ?? TokenBucket(at: now)
            let wait = bucket.take(rate, at: now)
            if table.recent.count >= half, table.recent[key] == nil {
                table.earlier = table.recent
                table.recent = [:]
            }
            table.recent[key] = bucket
            return wait
        }
        guard let wait else { return }
        // Rounded up, so that a token is available after this time.
        let seconds = Int((wait + .nanoseconds(999_999_999)).components.seconds)
        throw PlatformError(
            .rateLimited, "There are too many requests from here. Ask again in \(seconds) s.", retryAfter: seconds)
    }

    /// The number of remembered keys.
    package var count: Int { table.withLock { $0.recent.count + $0.earlier.count } }
}
