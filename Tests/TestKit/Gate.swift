import Dispatch
import Synchronization

/// A gate that blocks threads until a test opens it, for half a minute at most, so that a test fails instead of
/// hanging.
package final class Gate: Sendable {
    private struct State {
        var hasArrived = false
        var hasPassed = false
        var watcher: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let door = DispatchSemaphore(value: 0)

    /// The maximum time in seconds that a thread is blocked.
    private static let patience = 30.0

    package init() {}

    /// Whether a thread waits at the gate, and none has passed or timed out.
    package var isHolding: Bool { state.withLock { $0.hasArrived && !$0.hasPassed } }

    /// Blocks the calling thread until the gate is open.
    package func pass() {
        let watcher = state.withLock { state in
            state.hasArrived = true
            return state.watcher.take()
        }
        watcher?.resume()
        _ = door.wait(timeout: .now() + Self.patience)
        state.withLock { $0.hasPassed = true }
        // The gate stays open.
        door.signal()
    }

    /// Returns once a thread waits at the gate.
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
