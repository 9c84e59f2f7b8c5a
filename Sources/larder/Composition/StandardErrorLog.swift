import Domain
import Execution
import Synchronization

/// The log: one line on standard error per event, in logfmt.
///
/// While ``run()`` runs, lines are written there, so that whoever logs does not wait for who reads; before and after,
/// they are written at once, if somebody reads.
final class StandardErrorLog: Log {
    /// Bytes of lines that may wait; what comes when they do is dropped, and counted in the next line.
    static let capacity = 1 << 20

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
            guard state.isRunning else {
                // Under the lock, so that two lines never mix; what nobody reads is not waited for long.
                Self.writeNow(line)
                return false
            }
            if state.waiting.utf8.count + line.utf8.count <= Self.capacity {
                state.waiting += line
            } else {
                state.dropped += 1
            }
            return true
        }
        if isQueued { arrived.set() }
    }

    /// Writes what is logged until cancelled, and what waits then if it is read; on a thread that may block.
    func run() async {
        var output = LogOutput(path: nil)
        state.withLock { $0.isRunning = true }
        repeat {
            await arrived.wait()
            let text = state.withLock { takeWaiting(&$0) }
            // Where nobody reads there is nowhere to say so.
            try? output.write(text, while: { !Task.isCancelled })
        } while !Task.isCancelled
        state.withLock { state in
            state.isRunning = false
            try? output.write(takeWaiting(&state), while: { false })
        }
    }

    private func makeLine(_ event: String, _ fields: KeyValuePairs<String, String>) -> String {
        var line = "time=\(clock.now().rfc3339) event=\(event)"
        for (key, value) in fields { line += " \(key)=\(Logfmt.value(value))" }
        return line + "\n"
    }

    /// The lines that wait, and how many came when there was no room for them.
    private func takeWaiting(_ state: inout State) -> String {
        var text = state.waiting
        if state.dropped > 0 { text += makeLine("log.dropped", ["lines": String(state.dropped)]) }
        state.waiting = ""
        state.dropped = 0
        return text
    }

    private static func writeNow(_ text: String) {
        var output = LogOutput(path: nil)
        try? output.write(text, while: { false })
    }
}
