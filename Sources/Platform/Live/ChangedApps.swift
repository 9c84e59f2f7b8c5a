import Domain
import Execution
import Synchronization

/// The apps that changed since the last call, for a background service that checks every app from time to time.
final class ChangedApps: ChangeObserver {
    private struct State {
        var changed: Set<AppID> = []
        /// The time when all apps were last due; `nil` before the first time.
        var lastSweep: ContinuousClock.Instant?
    }

    private let live: LiveApps
    private let wake = AsyncFlag()
    private let state = Mutex(State())

    /// The longest time until every app is due again.
    static let pause: Duration = .seconds(600)

    init(live: LiveApps) {
        self.live = live
        live.observe(self)
    }

    func appChanged(_ app: LiveApp) {
        state.withLock { _ = $0.changed.insert(app.id) }
        wake.set()
    }

    /// Waits for the apps that are due, by id: all of them at first and after ``pause``, else those that changed.
    ///
    /// Only one task may call it at a time; returns early if the task is cancelled.
    func next() async -> [LiveApp] {
        let due = take()
        guard due.isEmpty else { return due }
        await wake.wait(upTo: Self.pause)
        return take()
    }

    private func take() -> [LiveApp] {
        let now = ContinuousClock.now
        let changed: Set<AppID>? = state.withLock { state in
            defer { state.changed = [] }
            if let last = state.lastSweep, now - last < Self.pause { return state.changed }
            state.lastSweep = now
            return nil
        }
        return live.all.filter { changed?.contains($0.id) ?? true }.sorted { $0.id.text < $1.id.text }
    }
}
