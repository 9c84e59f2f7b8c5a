package import Domain
package import HTTP
import Synchronization

/// Lets each of many ask so often and no more.
///
/// Remembers a bounded number of them, however many there are: whoever was not seen for longest is forgotten, and has a
/// full bucket when seen again.
package final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    /// In the two halves of the table: those seen since the last turn, and those seen before.
    ///
    /// When the first half is full it becomes the second, whose own are forgotten: nothing is ever searched through.
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
    ///   - capacity: How many are remembered.
    package init(_ rate: TokenBucket.Rate, elapsed: @escaping @Sendable () -> Duration, capacity: Int = 65_536) {
        self.rate = rate
        self.elapsed = elapsed
        half = max(capacity / 2, 1)
    }

    /// Counts a request; throws `rateLimited` where it is one too many, which then does not count.
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
        // Rounded up: who comes back then finds a token.
        let seconds = Int((wait + .nanoseconds(999_999_999)).components.seconds)
        throw PlatformError(
            .rateLimited, "There are too many requests from here. Ask again in \(seconds) s.", retryAfter: seconds)
    }

    /// How many are remembered.
    package var count: Int { table.withLock { $0.recent.count + $0.earlier.count } }
}
