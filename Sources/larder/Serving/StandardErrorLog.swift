import Domain
import Execution
import Ground
import Synchronization

/// The log: one line on standard error per event, in logfmt.
///
/// While ``run()`` runs, it writes the lines, so that callers never wait for a slow reader. Before and after, callers
/// write their lines themselves; if the reader stalls, the lines wait for ``run()``.
final class StandardErrorLog: Log {
    /// The bytes of lines that may wait; further lines are dropped, and counted in the next line.
    static let capacity = 1 << 20
    /// The longest time for which a stalled reader delays the end of ``run()``.
    private static let stopPatience: Duration = .seconds(2)

    private struct State {
        var isRunning = false
        var waiting = ""
        var dropped = 0
    }

    private let clock: any WallClock
    private let state = Mutex(State())
    private let arrived = AsyncFlag()

    init(clock: any WallClock) {
        self.clock = clock
    }

    func write(_ event: String, _ fields: KeyValuePairs<String, String>) {
        let line = makeLine(event, fields)
        let isQueued = state.withLock { state in
            if state.waiting.utf8.count + line.utf8.count <= Self.capacity {
                state.waiting += line
            } else {
                state.dropped += 1
            }
            if !state.isRunning {
                // Written under the lock, so that two lines never mix; a stalled reader delays this only briefly.
                let rest = state.waiting.utf8.dropFirst(Self.writeNow(state.waiting))
                state.waiting = String(decoding: rest, as: UTF8.self)
            }
            return !state.waiting.isEmpty
        }
        if isQueued { arrived.set() }
    }

    /// Writes lines until cancelled, then the remaining lines, unless the reader stalls for long; blocks its thread.
    func run() async {
        var output = LogOutput(path: nil)
        var end: ContinuousClock.Instant?
        func isWorthWaiting() -> Bool {
            guard Task.isCancelled else { return true }
            let limit = end ?? .now + Self.stopPatience
            end = limit
            return .now < limit
        }
        state.withLock { $0.isRunning = true }
        repeat {
            await arrived.wait()
            let text = state.withLock { takeWaiting(&$0) }
            // If the output fails, the failure cannot be reported.
            try? output.write(text, while: isWorthWaiting)
        } while !Task.isCancelled
        state.withLock { state in
            state.isRunning = false
            try? output.write(takeWaiting(&state), while: isWorthWaiting)
        }
    }

    private func makeLine(_ event: String, _ fields: KeyValuePairs<String, String>) -> String {
        var line = "time=\(clock.now().rfc3339) event=\(event)"
        for (key, value) in fields { line += " \(key)=\(Logfmt.value(value))" }
        return line + "\n"
    }

    /// Removes and returns the waiting lines, plus a line with the number of dropped ones.
    private func takeWaiting(_ state: inout State) -> String {
        var text = state.waiting
        if state.dropped > 0 { text += makeLine("log.dropped", ["lines": String(state.dropped)]) }
        state.waiting = ""
        state.dropped = 0
        return text
    }

    /// Returns the number of written bytes.
    private static func writeNow(_ text: String) -> Int {
        var output = LogOutput(path: nil)
        try? output.write(text, while: { false })
        return output.written
    }
}
