import Domain
import Ground

/// A progress bar on standard error; silent unless that is a terminal.
final class ProgressMeter {
    private let label: String
    private let isShown: Bool
    private var lastPercent = -1

    init(label: String) {
        self.label = label
        isShown = Terminal.isErrorTerminal
    }

    /// Redraws the bar if the percentage has changed.
    func show(_ done: Int, of all: Int) {
        guard isShown, all > 0 else { return }
        let percent = done * 100 / all
        guard percent != lastPercent else { return }
        lastPercent = percent
        let filled = percent * 30 / 100
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 30 - filled)
        Terminal.progress("\(label) [\(bar)] \(percent) % of \(ByteCount.text(all))")
    }

    /// Erases the bar.
    func finish() {
        if isShown, lastPercent >= 0 { Terminal.progress("") }
    }
}
