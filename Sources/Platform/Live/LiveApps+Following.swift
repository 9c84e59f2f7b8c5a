import Domain
import Execution
import Synchronization

/// The apps that the store has and this node has not loaded.
final class UnloadedApps: Sendable {
    private struct State {
        /// An instant before the last reading.
        var readAt: ContinuousClock.Instant
        /// The apps that are not loaded, each with the instant of the last reading without it.
        var missing: [AppID: ContinuousClock.Instant] = [:]
    }

    private let state = Mutex(State(readAt: .now))
    private let arrived = AsyncFlag()

    /// Notes the apps of a reading that are not loaded; returns an instant at which the store had none of them.
    fileprivate func note(missing: [AppID], asOf instant: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let current = state.withLock { state in
            state.missing = Dictionary(
                missing.map { ($0, state.missing[$0] ?? state.readAt) }, uniquingKeysWith: { one, _ in one })
            state.readAt = instant
            return state.missing.values.min() ?? instant
        }
        if !missing.isEmpty { arrived.set() }
        return current
    }

    /// Waits until a reading has apps that are not loaded.
    fileprivate func next() async -> [AppID] {
        await arrived.wait()
        return state.withLock { Array($0.missing.keys) }
    }
}

extension LiveApps {
    /// Notes the revisions that were read from the store; the activation loop loads changes, and
    /// ``runLoading(report:)`` new apps.
    ///
    /// - Parameter instant: An instant before the reading.
    /// - Returns: The latest instant at which the store is known to have had nothing that the views lack.
    func follow(
        _ revisions: [AppID: AppRevision], asOf instant: ContinuousClock.Instant
    ) -> ContinuousClock.Instant {
        var missing: [AppID] = []
        var current = instant
        let observers = currentObservers
        for (id, revision) in revisions {
            guard let app = app(id) else {
                missing.append(id)
                continue
            }
            if app.noteStored(revision, asOf: instant) { rescheduled.set() }
            current = min(current, app.currentInstant)
            for observer in observers { observer.storeRead(of: app) }
        }
        return min(current, unloaded.note(missing: missing, asOf: instant))
    }

    /// Loads the apps that other nodes have created, one after the other, until cancelled.
    ///
    /// - Parameter report: Called with each failure; the app is loaded again after the next reading.
    func runLoading(report: (PlatformError) -> Void) async {
        while !Task.isCancelled {
            for id in await unloaded.next() where !Task.isCancelled {
                do throws(PlatformError) { try await loadIfMissing(id, isDrawing: false) } catch { report(error) }
            }
        }
    }
}
