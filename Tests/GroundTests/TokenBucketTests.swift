import Ground
import Testing

struct TokenBucketTests {
    private let rate = TokenBucket.Rate(perSecond: 10, burst: 5)

    /// Takes tokens until the bucket is empty; returns their number, and the time until the next one.
    private func drain(_ bucket: inout TokenBucket, at now: Duration) -> (taken: Int, wait: Duration) {
        var taken = 0
        while taken < 1_000 {
            if let wait = bucket.take(rate, at: now) { return (taken, wait) }
            taken += 1
        }
        return (taken, .zero)
    }

    @Test func `a full bucket has its burst, and one more is in an interval`() {
        var bucket = TokenBucket(at: .seconds(7))
        #expect(drain(&bucket, at: .seconds(7)) == (5, .milliseconds(100)))
    }

    @Test func `tokens are refilled steadily, and no sooner than the stated wait`() {
        var bucket = TokenBucket(at: .zero)
        _ = drain(&bucket, at: .zero)
        #expect(drain(&bucket, at: .milliseconds(99)) == (0, .milliseconds(1)))
        #expect(drain(&bucket, at: .milliseconds(100)) == (1, .milliseconds(100)))
        #expect(drain(&bucket, at: .milliseconds(350)) == (2, .milliseconds(50)))
    }

    @Test func `a bucket that is unused for long holds a burst and no more`() {
        var bucket = TokenBucket(at: .zero)
        _ = drain(&bucket, at: .zero)
        #expect(drain(&bucket, at: .seconds(86_400)).taken == 5)
    }

    @Test func `a refused request takes no token`() {
        var bucket = TokenBucket(at: .zero)
        _ = drain(&bucket, at: .zero)
        let waits = Set((0..<1_000).map { _ in bucket.take(rate, at: .milliseconds(50)) })
        #expect(waits == [.milliseconds(50)])
        #expect(bucket.take(rate, at: .milliseconds(100)) == nil)
    }

    @Test func `the highest rate lets a million through in a second`() {
        let rate = TokenBucket.Rate(perSecond: TokenBucket.Rate.most, burst: 1)
        var bucket = TokenBucket(at: .zero)
        #expect(bucket.take(rate, at: .zero) == nil)
        #expect(bucket.take(rate, at: .zero) == .microseconds(1))
    }
}
