package import Domain
import Execution
import Ground
import Synchronization

/// A receiver of an app's audit entries as they are written.
package protocol AuditSubscriber: AnyObject, Sendable {
    /// Returns the text of entries, which is the same for all subscribers.
    func encode(_ entries: [RecordedAuditEntry]) -> [UInt8]
    /// Receives the text of the entries that follow the last ones, in the order of their ids.
    ///
    /// The next text comes after ``AuditSubscription/didReceive()``.
    func receive(_ text: [UInt8])
    /// Ends the stream, because the subscription is over.
    func disconnect()
}

/// The follower of the audit log, which passes the new entries of an app to its subscribers.
///
/// It reads the store after each change and once a second, also for what other nodes have done, and only while there
/// are subscribers. A subscriber that is behind gets page after page as fast as it takes them, and delays no other.
package final class AuditFollower: ChangeObserver {
    /// The number of subscriptions; a further one gets `busy`.
    package static let capacity = 256
    /// The number of subscriptions of one token or user; a further one ends the oldest.
    package static let capacityPerHolder = 8
    /// The number of entries that are read at a time.
    package static let page = 200
    /// The time between two readings without a change.
    package static let interval: Duration = .seconds(1)
    /// The time after which a subscription ends, so that its operator is authenticated again.
    package static let longest: Duration = .seconds(900)
    /// The time between two checks of the subscribers' tokens, sessions and grants, which another node, or a sign-in by a
    /// provider, may have changed.
    package static let checkInterval: Duration = .seconds(5)
    /// The maximum age of earlier entries, in milliseconds, for operators who are no admins of the app.
    package static let historyMilliseconds: Int64 = 3_600_000
    /// The milliseconds by which the clock of another node may be ahead; an entry with a later time shows no earlier ones.
    package static let clockTolerance: Int64 = 300_000

    private struct Subscription {
        let app: AppID
        /// Whether the operator is an admin of the app, who may read every entry.
        let isAdmin: Bool
        let principal: Principal?
        /// The session of a user; `nil` for tokens.
        let session: Int64?
        let end: ContinuousClock.Instant
        /// The time from which the operator is no longer authenticated; `nil` if there is none.
        let expiry: Timestamp?
        /// The id of the last entry that the subscriber has.
        var last: Int64
        var subscriber: (any AuditSubscriber)?
        /// Whether the subscriber has received the last text; at first, whether it has begun.
        var isReady = false

        /// The id of the token; `nil` for users.
        var token: Int64? {
            guard case .token(let id) = principal else { return nil }
            return id
        }
    }

    /// The reading that some subscribers need.
    private struct Reading: Hashable {
        let app: AppID
        let last: Int64
    }

    private struct State {
        var subscriptions: [Int: Subscription] = [:]
        var lastNumber = 0
        var checkedAt: ContinuousClock.Instant?

        /// Removes the subscriptions that meet a condition, and returns their subscribers.
        mutating func remove(where isOver: (Subscription) -> Bool) -> [any AuditSubscriber] {
            let over = subscriptions.filter { isOver($0.value) }
            for number in over.keys { subscriptions[number] = nil }
            return over.values.compactMap(\.subscriber)
        }
    }

    private let store: any AuditStore & TokenStore & UserStore
    private let clock: any WallClock
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())
    private let changed = AsyncFlag()

    /// - Parameter instant: A clock that never jumps.
    package init(
        live: LiveApps, store: any AuditStore & TokenStore & UserStore, clock: any WallClock,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.store = store
        self.clock = clock
        self.instant = instant
        live.observe(self)
    }

    package func appChanged(_ app: LiveApp) {
        if hasSubscriptions { changed.set() }
    }

    /// Subscribes an operator to an app's entries after an id, or to the next ones.
    ///
    /// An operator who is no admin of the app gets the entries from the first one of the last hour on. An id that the store does not
    /// have, for instance after a restore, counts as the newest one. Ends the oldest of too many subscriptions of the
    /// operator's token or user.
    ///
    /// Throws `busy` if there are too many subscriptions.
    package func subscribe(
        _ author: Operator, to app: AppID, after id: Int64?
    ) async throws(PlatformError) -> AuditSubscription {
        let newest = try await store.audit(before: nil, limit: 1).first?.id ?? 0
        var start = min(id ?? newest, newest)
        let isAdmin = author.has(.admin, on: .app(app))
        if !isAdmin, start < newest {
            let now = clock.now()
            let earliest = now.adding(milliseconds: -Self.historyMilliseconds)
            let latest = now.adding(milliseconds: Self.clockTolerance)
            start = try await store.firstAudit(after: start, within: earliest...latest).map { $0 - 1 } ?? newest
        }
        let subscription = Subscription(
            app: app, isAdmin: isAdmin, principal: author.principal, session: author.person?.session,
            end: instant() + Self.longest, expiry: author.end, last: start)
        let (number, oldest) = state.withLock { state -> (Int?, (any AuditSubscriber)?) in
            let own = state.subscriptions.filter { $0.value.principal == author.principal }.keys
            var oldest: Subscription?
            if own.count >= Self.capacityPerHolder, let first = own.min() {
                oldest = state.subscriptions.removeValue(forKey: first)
            }
            guard state.subscriptions.count < Self.capacity else { return (nil, nil) }
            state.lastNumber += 1
            state.subscriptions[state.lastNumber] = subscription
            return (state.lastNumber, oldest?.subscriber)
        }
        oldest?.disconnect()
        guard let number else {
            throw PlatformError(.busy, "Too many operators follow events. Try again later.")
        }
        return AuditSubscription(follower: self, number: number, start: start)
    }

    /// Ends the subscriptions of a token or a user.
    package func end(_ principal: Principal) {
        for subscriber in state.withLock({ $0.remove { $0.principal == principal } }) { subscriber.disconnect() }
    }

    /// Ends the subscriptions of a session.
    package func end(session: Int64) {
        for subscriber in state.withLock({ $0.remove { $0.session == session } }) { subscriber.disconnect() }
    }

    /// Follows the log until cancelled, and then ends all subscriptions.
    package func run() async {
        while !Task.isCancelled {
            await pass()
            if hasSubscriptions {
                await changed.wait(upTo: Self.interval)
            } else {
                await changed.wait()
            }
        }
        for subscriber in state.withLock({ $0.remove { _ in true } }) { subscriber.disconnect() }
    }

    private var hasSubscriptions: Bool { state.withLock { !$0.subscriptions.isEmpty } }

    /// Passes the entries that are new to the subscribers; ends old subscriptions, and those whose token or session is over.
    ///
    /// While the store cannot be read, the subscribers wait.
    package func pass() async {
        await endOver()
        let readings = state.withLock { state in
            Set(state.subscriptions.values.filter(\.isReady).map { Reading(app: $0.app, last: $0.last) })
        }
        for reading in readings {
            guard let entries = try? await store.audit(of: reading.app, after: reading.last, limit: Self.page),
                !entries.isEmpty
            else { continue }
            pass(entries, after: reading)
        }
    }

    /// Passes entries to the subscribers whose last ones precede them.
    private func pass(_ entries: [RecordedAuditEntry], after reading: Reading) {
        let hasMore = entries.count == Self.page
        for isAdmin in [true, false] {
            let visible = isAdmin ? entries : entries.filter { !$0.entry.isForAdmins }
            let receivers = state.withLock { state in
                state.subscriptions.keys.compactMap { number -> (any AuditSubscriber)? in
                    guard var own = state.subscriptions[number], own.isReady, own.isAdmin == isAdmin,
                        own.app == reading.app, own.last == reading.last
                    else { return nil }
                    own.last = entries.last?.id ?? own.last
                    own.isReady = visible.isEmpty
                    state.subscriptions[number] = own
                    return own.subscriber
                }
            }
            // Outside of the lock, which the event loops take.
            guard let first = receivers.first else { continue }
            if visible.isEmpty {
                if hasMore { changed.set() }
            } else {
                let text = first.encode(visible)
                for receiver in receivers { receiver.receive(text) }
            }
        }
    }

    private func endOver() async {
        let now = instant()
        let time = clock.now()
        let over = state.withLock { state in
            state.remove { subscription in
                subscription.end <= now || subscription.expiry.map { $0 <= time } ?? false
            }
        }
        for subscriber in over { subscriber.disconnect() }
        let isDue = state.withLock { state in
            guard !state.subscriptions.isEmpty,
                state.checkedAt.map({ now - $0 >= Self.checkInterval }) ?? true
            else { return false }
            state.checkedAt = now
            return true
        }
        if isDue { await endWithoutRights(at: time) }
    }

    /// Ends the subscriptions whose token or session is over, and those whose operator has other rights to the app by now: what
    /// a stream shows depends on them.
    private func endWithoutRights(at time: Timestamp) async {
        let known = state.withLock { $0.subscriptions.filter { $0.value.principal != nil } }
        guard let tokens = try? await store.tokens(Array(Set(known.values.compactMap(\.token)))),
            let sessions = try? await store.sessions(Array(Set(known.values.compactMap(\.session))))
        else { return }
        let holders = Dictionary(
            uniqueKeysWithValues: tokens.filter { $0.isValid(at: time) }.map {
                ($0.id, Operator(FoundToken(token: $0, secretEnd: nil)))
            })
        let persons = Dictionary(
            uniqueKeysWithValues: sessions.filter { $0.session.isValid(at: time) && !$0.user.isDisabled }.map {
                ($0.session.id, Operator(user: $0.user, session: $0.session))
            })
        let over = known.filter { _, subscription in
            let holder = subscription.token.flatMap { holders[$0] } ?? subscription.session.flatMap { persons[$0] }
            guard let holder else { return true }
            let app = subscription.app
            return !holder.mayRead(app) || holder.has(.admin, on: .app(app)) != subscription.isAdmin
        }
        let ended = state.withLock { state in
            over.keys.compactMap { state.subscriptions.removeValue(forKey: $0)?.subscriber }
        }
        for subscriber in ended { subscriber.disconnect() }
    }
}

/// The calls of a subscription.
extension AuditFollower {
    fileprivate func begin(_ number: Int, _ subscriber: any AuditSubscriber) -> Bool {
        state.withLock { state in
            state.subscriptions[number]?.subscriber = subscriber
            return state.subscriptions[number] != nil
        }
    }

    fileprivate func didReceive(_ number: Int) {
        let reads = state.withLock { state in
            guard let own = state.subscriptions[number], !own.isReady else { return false }
            state.subscriptions[number]?.isReady = true
            return true
        }
        if reads { changed.set() }
    }

    fileprivate func remove(_ number: Int) {
        state.withLock { $0.subscriptions[number] = nil }
    }
}

/// The subscription of one operator, which exists as long as the value.
package struct AuditSubscription: ~Copyable, Sendable {
    fileprivate let follower: AuditFollower
    fileprivate let number: Int
    /// The id after which the entries begin.
    package let start: Int64

    deinit { follower.remove(number) }

    /// Sets the receiver, which gets entries after the first call of ``didReceive()``; returns `false` if the subscription
    /// is over already.
    package borrowing func begin(_ subscriber: any AuditSubscriber) -> Bool { follower.begin(number, subscriber) }

    /// Notes that the subscriber has received all sent entries.
    package borrowing func didReceive() { follower.didReceive(number) }
}
