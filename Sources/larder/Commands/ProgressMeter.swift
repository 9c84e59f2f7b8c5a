import Client
import Domain
import Ground
import Synchronization

/// A progress bar with the rate and the time left on standard error; silent unless that is a terminal and a person wants to see it.
final class ProgressMeter: Sendable {
    private let label: String
    private let clock: any ClientClock
    private let isShown: Bool
    private let state = Mutex(State())

    private struct State {
        var done = 0
        var all = 0
        /// The bytes and the time of the first call, which a resumed transfer begins with.
        var first: (done: Int, time: Duration)?
        var lastText = ""
    }

    private static let width = 20

    init(label: String, isQuiet: Bool = false, clock: any ClientClock = SystemClientClock()) {
        self.label = label
        self.clock = clock
        isShown = !isQuiet && Terminal.isErrorTerminal
    }

    /// The bytes that are done, and all bytes; `nil` before the first call of ``show(_:of:)``.
    var progress: (done: Int, all: Int)? { state.withLock { $0.first == nil ? nil : ($0.done, $0.all) } }

    /// Redraws the bar if its text has changed.
    func show(_ done: Int, of all: Int) {
        guard all > 0 else { return }
        let now = clock.monotonic()
        let text: String? = state.withLock { state in
            let first = state.first ?? (done, now)
            (state.first, state.done, state.all) = (first, done, all)
            let text = Self.text(label, done, all, since: first, now: now)
            guard text != state.lastText else { return nil }
            state.lastText = text
            return text
        }
        if let text, isShown { Terminal.progress(text) }
    }

    /// Erases the bar.
    func finish() {
        if isShown, progress != nil { Terminal.progress("") }
    }

    /// Returns the bar, with the rate and the time left from the first second on.
    static func text(
        _ label: String, _ done: Int, _ all: Int, since first: (done: Int, time: Duration), now: Duration
    ) -> String {
        let filled = done * width / all
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
        let base = "\(label) [\(bar)] \(done * 100 / all) % of \(ByteCount.text(all))"
        let seconds = (now - first.time).components.seconds
        guard seconds > 0, done > first.done else { return base }
        let rate = (done - first.done) / Int(seconds)
        guard rate > 0 else { return base }
        return "\(base), \(ByteCount.text(rate))/s, \(duration((all - done) / rate)) left"
    }

    private static func duration(_ seconds: Int) -> String {
        seconds < 60 ? "\(seconds) s" : seconds < 3_600 ? "\(seconds / 60) min" : "\(seconds / 3_600) h"
    }
}
