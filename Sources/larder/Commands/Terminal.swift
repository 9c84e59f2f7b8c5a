import Glibc

/// Standard output and standard error.
enum Terminal {
    static func out(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

    static func error(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

    static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether a person can be asked: input and standard error are a terminal.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isErrorTerminal }

    /// Whether standard output shows colours: it is a terminal, `TERM` is not `dumb`, and `NO_COLOR` is empty.
    static var hasColor: Bool {
        let environment = Environment.all
        return isOutputTerminal && environment["TERM"] != "dumb" && (environment["NO_COLOR"] ?? "").isEmpty
    }

    /// Asks a question on standard error; returns whether the answer is yes.
    static func confirms(_ question: String) -> Bool {
        write("\(question) [y/N] ", to: STDERR_FILENO)
        return ["y", "yes"].contains((readLine() ?? "").lowercased())
    }

    /// The limit on the bytes of a secret.
    private static let secretLimit = 4_096

    /// Returns a line of standard input; a terminal shows the prompt and no character of the line.
    static func secret(_ prompt: String) throws(CommandError) -> String {
        var settings = termios()
        let isHidden = isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &settings) == 0
        if isHidden {
            let shown = settings
            Interruption.watch {
                var shown = shown
                tcsetattr(STDIN_FILENO, TCSANOW, &shown)
                return ""
            }
            var silent = settings
            silent.c_lflag &= ~tcflag_t(ECHO)
            // The change discards what was typed before, so the prompt follows it.
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
            write(prompt, to: STDERR_FILENO)
        }
        defer {
            if isHidden {
                tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
                write("\n", to: STDERR_FILENO)
            }
        }
        let line = readLine() ?? ""
        guard line.utf8.count <= secretLimit else { throw .usage("the secret is longer than \(secretLimit) bytes") }
        return line
    }

    /// The number of characters of a line: the value of `COLUMNS`, or the width of the terminal; `nil` for another output.
    static var width: Int? {
        guard isOutputTerminal else { return nil }
        if let columns = Environment.all["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Replaces the current line of standard error; only for terminals.
    static func progress(_ text: String) { write("\r\u{1B}[K" + text, to: STDERR_FILENO) }

    /// Returns a text without the control characters that a terminal would obey, if the output is one.
    static func printable(_ text: String) -> String {
        guard isOutputTerminal else { return text }
        var scalars = String.UnicodeScalarView()
        scalars.append(
            contentsOf: text.unicodeScalars.filter { $0 == "\n" || $0.properties.generalCategory != .control })
        return String(scalars)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                // The stream is closed, so the failure cannot be reported.
                return
            }
        }
    }
}
