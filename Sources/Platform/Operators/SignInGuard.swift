import Domain
import Ground
import Synchronization

/// The growing delays after failed attempts to sign in, by user and address and by address.
///
/// A user has no delay from other addresses, so that nobody can lock a user out. The tables are bounded: the least recent
/// entries are forgotten. Each node has its own.
package final class SignInGuard: Sendable {
    /// The failures of a user from an address without a delay.
    static let freeFailures = 3
    /// The failures from an address, whatever users they name, without a delay.
    static let freeFailuresOfAddress = 20
    /// The wrong codes of a user after a right password, from whatever addresses, without a delay.
    static let freeWrongCodes = 10
    static let longestDelay: Duration = .seconds(900)
    /// The time without an attempt after which failures no longer count.
    static let memory: Duration = .seconds(86_400)
    /// The number of entries in each table.
    static let capacity = 65_536

    private struct Pair: Hashable {
        let user: String
        let address: String
    }

    private struct Failures {
        var count = 0
        var last: ContinuousClock.Instant
        var end: ContinuousClock.Instant

        mutating func add(at now: ContinuousClock.Instant, free: Int) {
            if now - last >= SignInGuard.memory { count = 0 }
            // Otherwise the rare mistakes of many people behind one address would add up.
            count = max(0, count - Int((now - last) / SignInGuard.longestDelay)) + 1
            last = now
            end = now + SignInGuard.delay(after: count, free: free)
        }
    }

    private struct State {
        var pairs = Generations<Pair, Failures>(capacity: SignInGuard.capacity)
        var addresses = Generations<String, Failures>(capacity: SignInGuard.capacity)
        var codes = Generations<String, Failures>(capacity: SignInGuard.capacity)
    }

    private let state = Mutex(State())
    private let instant: @Sendable () -> ContinuousClock.Instant

    /// - Parameter instant: A clock that never jumps.
    package init(instant: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.instant = instant
    }

    /// Counts an attempt as a failure before its password is checked; throws `rateLimited` during a delay.
    ///
    /// Attempts at the same time therefore count each other.
    ///
    /// - Parameter user: The user; `nil` for an attempt that names none and counts for the address alone.
    func begin(_ user: String?, from address: String) throws(PlatformError) {
        let now = instant()
        let pair = user.map { Pair(user: $0, address: address) }
        let end = state.withLock { state -> ContinuousClock.Instant? in
            var own = pair.map { state.pairs.find($0) ?? Failures(last: now, end: now) }
            var all = state.addresses.find(address) ?? Failures(last: now, end: now)
            let end = max(own?.end ?? all.end, all.end)
            guard end <= now else { return end }
            own?.add(at: now, free: Self.freeFailures)
            all.add(at: now, free: Self.freeFailuresOfAddress)
            if let pair, let own { state.pairs.keep(own, under: pair) }
            state.addresses.keep(all, under: address)
            return nil
        }
        guard let end else { return }
        let seconds = max(1, Int((end - now + .nanoseconds(999_999_999)).components.seconds))
        throw PlatformError(
            .rateLimited, "Too many attempts to sign in have failed from this address. Try again in \(seconds) s.",
            retryAfter: seconds)
    }

    /// Takes an attempt back that was no failure; a success also forgets the failures of the user from the address.
    func end(_ user: String?, from address: String, isSuccess: Bool) {
        let now = instant()
        state.withLock { state in
            if let user, case let pair = Pair(user: user, address: address), var own = state.pairs.find(pair) {
                own.count = isSuccess ? 0 : max(0, own.count - 1)
                own.end = now
                state.pairs.keep(own, under: pair)
            }
            if var all = state.addresses.find(address) {
                all.count = max(0, all.count - 1)
                all.end = now
                state.addresses.keep(all, under: address)
            }
        }
    }

    /// Counts a code after a right password as wrong before it is checked; throws `rateLimited` during a delay.
    ///
    /// Only those who know the password can delay the user by this.
    func beginCode(of user: String) throws(PlatformError) {
        let now = instant()
        let end = state.withLock { state -> ContinuousClock.Instant? in
            var own = state.codes.find(user) ?? Failures(last: now, end: now)
            guard own.end <= now else { return own.end }
            own.add(at: now, free: Self.freeWrongCodes)
            state.codes.keep(own, under: user)
            return nil
        }
        guard let end else { return }
        let seconds = max(1, Int((end - now + .nanoseconds(999_999_999)).components.seconds))
        throw PlatformError(
            .rateLimited, "Too many codes of this user were wrong. Try again in \(seconds) s.", retryAfter: seconds)
    }

    /// Forgets the wrong codes of a user who has signed in.
    func endCodes(of user: String) {
        let now = instant()
        state.withLock { $0.codes.keep(Failures(last: now, end: now), under: user) }
    }

    /// Returns the delay after a number of failures: none, then 1 s, 2 s, 4 s and so on.
    static func delay(after count: Int, free: Int) -> Duration {
        guard count >= free else { return .zero }
        return min(.seconds(1 << min(count - free, 30)), longestDelay)
    }
}
