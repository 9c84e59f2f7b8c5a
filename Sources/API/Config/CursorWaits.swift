import Domain
import Execution
import Platform
import Synchronization

/// The requests for `/config` that wait for a change of which another node has notified their clients.
final class CursorWaits: ChangeObserver {
    /// The number of requests that may wait; a further one is refused.
    static let capacity = 1_024
    /// The longest wait.
    static let patience: Duration = .seconds(2)

    private struct Waiting {
        let app: AppID
        let flag: AsyncFlag
    }

    private struct State {
        var waiting: [Int: Waiting] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    init(_ live: LiveApps) { live.observe(self) }

    func appChanged(_ app: LiveApp) {
        let flags = state.withLock { state in state.waiting.values.filter { $0.app == app.id }.map(\.flag) }
        for flag in flags { flag.set() }
    }

    /// Waits until this node knows the event of a cursor; returns `false` if it does not in time, or if too many requests
    /// wait.
    func reach(_ cursor: Cursor, of app: LiveApp) async -> Bool {
        let flag = AsyncFlag()
        guard let number = enter(Waiting(app: app.id, flag: flag)) else { return false }
        defer { state.withLock { _ = $0.waiting.removeValue(forKey: number) } }
        let end = ContinuousClock.now + Self.patience
        while app.log.isBehind(cursor) {
            let left = end - ContinuousClock.now
            guard left > .zero, !Task.isCancelled else { return false }
            await flag.wait(upTo: left)
        }
        return true
    }

    private func enter(_ waiting: Waiting) -> Int? {
        state.withLock { state in
            guard state.waiting.count < Self.capacity else { return nil }
            state.lastNumber += 1
            state.waiting[state.lastNumber] = waiting
            return state.lastNumber
        }
    }
}
