import Synchronization

/// A flag that any thread may set and one task waits for; it stays set until a wait returns.
package final class AsyncFlag: Sendable {
    private enum State {
        case idle
        case set
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.idle)

    package init() {}

    /// Wakes the waiting task, or lets the next wait return at once.
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

    /// Returns once the flag is set or the task is cancelled.
    ///
    /// Only one task at a time may wait.
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

    /// Returns once the flag is set, the task is cancelled or the time is over.
    ///
    /// If two of these happen at once, the next wait may return for the second.
    package func wait(upTo duration: Duration) async {
        let alarm = AlarmClock.shared.set(self, after: duration)
        defer { AlarmClock.shared.remove(alarm) }
        await wait()
    }
}
