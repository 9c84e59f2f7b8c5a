import Glibc
import Synchronization

/// Holds up a thread until a test lets it go on.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var hasArrived = false
        var watcher: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    /// Waits, on a thread that may block, until the gate is open.
    package func pass() {
        let watcher = state.withLock { state in
            state.hasArrived = true
            return state.watcher.take()
        }
        watcher?.resume()
        while !state.withLock({ $0.isOpen }) { usleep(1_000) }
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

    package func open() { state.withLock { $0.isOpen = true } }
}
