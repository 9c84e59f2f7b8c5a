import Domain
import Synchronization

/// The log: one line on standard error per event, in logfmt.
final class StandardErrorLog: Log {
    private let clock: any WallClock
    /// So that two lines never mix.
    private let line = Mutex(())

    init(clock: any WallClock) {
        self.clock = clock
    }

    func write(_ event: String, _ fields: KeyValuePairs<String, String>) {
        var text = "time=\(clock.now().rfc3339) event=\(event)"
        for (key, value) in fields { text += " \(key)=\(Logfmt.value(value))" }
        line.withLock { _ in Terminal.error(text) }
    }
}
