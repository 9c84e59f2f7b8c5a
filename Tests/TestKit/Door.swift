import Synchronization

/// A barrier that suspends tasks until a test opens it, without blocking a thread; then it stays open.
package final class Door: Sendable {
    private struct State {
        var isOpen = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of suspended tasks.
    package var held: Int { state.withLock { $0.held.count } }

    package func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.held.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    package func open() {
        let held = state.withLock { state in
            defer { state = State(isOpen: true) }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }
}
