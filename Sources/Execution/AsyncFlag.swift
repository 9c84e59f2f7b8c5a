import Synchronization

/// Something that a single waiter waits for: set from anywhere, kept until it is seen.
package final class AsyncFlag: Sendable {
    private enum State {
        case idle
        case set
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.idle)

    package init() {}

    /// Wakes the waiter, or lets the next wait return at once.
    package func set() {
        state.withLock { state in
            if case .waiting(let continuation) = state {
                state = .idle
                continuation.resume()
            } else {
                state = .set
            }
        }
    }

    /// Returns once the flag is set, or the task is cancelled; by one task at a time.
    package func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    if case .idle = state, !Task.isCancelled {
                        state = .waiting(continuation)
                    } else {
                        state = .idle
                        continuation.resume()
                    }
                }
            }
        } onCancel: {
            set()
        }
    }

    /// Returns once the flag is set, or after a time.
    package func wait(upTo duration: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            // Cancelled when the flag was set first: an early end of the sleep is what is wanted.
            group.addTask { try? await Task.sleep(for: duration) }
            await group.next()
            group.cancelAll()
        }
    }
}
