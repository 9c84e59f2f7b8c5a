import Synchronization

/// A semaphore that admits up to `width` tasks and queues the rest first in, first out.
package final class AsyncGate: Sendable {
    private struct State {
        var free: Int
        var queue: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    /// - Parameter width: The maximum number of tasks inside at once; at least one.
    package init(width: Int) {
        precondition(width > 0)
        state = Mutex(State(free: width))
    }

    /// Runs `body` inside.
    ///
    /// A cancelled task waits as well; the wait ends because every task inside leaves.
    package func pass<Result, Failure: Error>(
        _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.queue.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.queue.isEmpty else {
                state.free += 1
                return nil
            }
            return state.queue.removeFirst()
        }
        next?.resume()
    }
}
