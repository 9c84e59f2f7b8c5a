import Synchronization

/// A barrier that holds the first tasks until enough of them have arrived; later ones pass.
package final class Barrier: Sendable {
    private struct State {
        var missing: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    package init(count: Int) {
        state = Mutex(State(missing: count))
    }

    package func arrive() async {
        await withCheckedContinuation { continuation in
            let released = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.missing -= 1
                guard state.missing <= 0 else {
                    state.waiting.append(continuation)
                    return []
                }
                defer { state.waiting = [] }
                return state.waiting + [continuation]
            }
            for continuation in released { continuation.resume() }
        }
    }
}
