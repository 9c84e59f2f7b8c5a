package import Domain
import Execution
import Synchronization

/// The right of this node to do the background work that one node of an installation does at a time.
///
/// Each transaction of the work checks the lease (``TransactionFence/lease``), so a node that was stopped for longer
/// than the lease lasts commits nothing once another node has taken it.
package final class NodeLease: Sendable {
    private struct State {
        var token: LeaseToken?
        var renewedAt: ContinuousClock.Instant?
        var waiting: [AsyncFlag] = []
    }

    /// A change that operators may want to know.
    package enum Event: Sendable {
        case taken
        case lost
        case failed(PlatformError)
    }

    /// The name of the lease of all background work.
    package static let background = "background"
    /// The time until an unrenewed lease ends.
    package static let standardTerm: Duration = .seconds(10)

    private let store: any LeaseStore
    private let node: String
    private let term: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// - Parameters:
    ///   - node: The name of this node, for operators.
    ///   - term: The time until the lease ends unless it is renewed; it is renewed three times in it.
    ///   - now: A clock that never jumps.
    package init(
        store: any LeaseStore, node: String, term: Duration = standardTerm,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.store = store
        self.node = node
        self.term = term
        self.now = now
    }

    /// Whether this node has the lease as far as it knows.
    package var isHeld: Bool { state.withLock { $0.token != nil } }

    /// Takes the lease when it is free and renews it, until cancelled; then releases it.
    ///
    /// - Parameter report: Called when this node takes or loses the lease, and for the first of consecutive failures.
    package func run(report: @Sendable (Event) -> Void) async {
        let pause = AsyncFlag()
        var hasFailed = false
        while !Task.isCancelled {
            do throws(PlatformError) {
                try await renew(report: report)
                hasFailed = false
            } catch {
                if !hasFailed { report(.failed(error)) }
                hasFailed = true
                endIfOver(report: report)
            }
            await pause.wait(upTo: term * 3 / 10)
        }
        if let token = state.withLock({ $0.token }) {
            set(nil, at: now())
            // Otherwise the lease ends by itself.
            try? await store.releaseLease(token)
        }
    }

    /// Takes or renews the lease once.
    package func renew(report: (Event) -> Void = { _ in }) async throws(PlatformError) {
        let before = state.withLock { $0.token }
        let start = now()
        let token = try await store.takeLease(Self.background, for: node, renewing: before, lasting: term)
        set(token, at: start)
        guard token != before else { return }
        if before != nil { report(.lost) }
        if token != nil { report(.taken) }
    }

    /// Runs `body` whenever this node has the lease, until cancelled; cancels it when the lease is lost.
    package func whileHeld(_ body: @escaping @Sendable () async -> Void) async {
        let changed = AsyncFlag()
        state.withLock { $0.waiting.append(changed) }
        while !Task.isCancelled {
            guard let token = state.withLock({ $0.token }) else {
                await changed.wait()
                continue
            }
            await withDiscardingTaskGroup { group in
                group.addTask { await TransactionFence.$lease.withValue(token) { await body() } }
                while !Task.isCancelled, state.withLock({ $0.token }) == token { await changed.wait() }
                group.cancelAll()
            }
        }
        state.withLock { state in state.waiting.removeAll { $0 === changed } }
    }

    /// Gives the lease up if it could not be renewed for its whole term.
    func endIfOver(report: (Event) -> Void = { _ in }) {
        let instant = now()
        guard let last = state.withLock({ $0.token == nil ? nil : $0.renewedAt }), instant - last >= term
        else { return }
        set(nil, at: instant)
        report(.lost)
    }

    private func set(_ token: LeaseToken?, at instant: ContinuousClock.Instant) {
        let waiting = state.withLock { state -> [AsyncFlag] in
            if token != nil { state.renewedAt = instant }
            guard state.token != token else { return [] }
            state.token = token
            return state.waiting
        }
        for flag in waiting { flag.set() }
    }
}
