import Dispatch
import Synchronization

/// Holds up threads until a test lets them go on; for half a minute at most, so that a test which would wait for ever
/// fails.
package final class Gate: Sendable {
    private struct State {
        var hasArrived = false
        var hasPassed = false
        var watcher: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let door = DispatchSemaphore(value: 0)

    /// Seconds for which a thread is held.
    private static let patience = 30.0

    package init() {}

    /// Whether somebody waits here and nobody has gone on, be it because the time was over.
    package var isHolding: Bool { state.withLock { $0.hasArrived && !$0.hasPassed } }

    /// Waits, on a thread that may block, until the gate is open.
    package func pass() {
        let watcher = state.withLock { state in
            state.hasArrived = true
            return state.watcher.take()
        }
        watcher?.resume()
        _ = door.wait(timeout: .now() + Self.patience)
        state.withLock { $0.hasPassed = true }
        // The door stays open.
        door.signal()
    }

    /// Returns once someone waits at the gate.
    package func arrival() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if !state.hasArrived { state.watcher = continuation }
                return state.hasArrived
            }
            if isThere { continuation.resume() }
        }
    }

    package func open() { door.signal() }
}
