import Domain
import Execution
import HTTP
import Server
import Synchronization

/// Writes a line for each answer to a file or to standard error, in logfmt, behind the event loops' backs.
final class AccessLogWriter: AccessLog {
    /// Bytes of lines that may wait; what comes when they do is dropped and counted.
    static let capacity = 8 << 20

    private struct State {
        var waiting: [AccessLine] = []
        var bytes = 0
        var wantsReopening = false
    }

    /// `nil` for standard error.
    private let path: String?
    private let log: any Log
    private let state = Mutex(State())
    private let arrived = AsyncFlag()

    /// - Parameter path: A file that is appended to; `nil` for standard error.
    init(path: String?, log: any Log) throws(CommandError) {
        self.path = path
        self.log = log
        if let path { try LogOutput.check(path) }
    }

    func take(_ lines: [AccessLine]) -> Int {
        let taken = state.withLock { state in
            var taken = 0
            for line in lines where state.bytes + line.byteCount <= Self.capacity {
                state.waiting.append(line)
                state.bytes += line.byteCount
                taken += 1
            }
            return taken
        }
        if taken > 0 { arrived.set() }
        return lines.count - taken
    }

    /// Has the file opened anew before the next line, since another may have been put in its place.
    func reopen() {
        state.withLock { $0.wantsReopening = true }
    }

    /// Writes what arrives until cancelled, and what waits then if it is read; on a thread that may block.
    func run() async {
        var output = LogOutput(path: path)
        // Since the output fails.
        var lost = 0
        repeat {
            await arrived.wait()
            let (lines, reopens) = state.withLock { state in
                defer { state = State() }
                return (state.waiting, state.wantsReopening)
            }
            if reopens { output.reopen() }
            var written = 0
            do throws(CommandError) {
                for line in lines {
                    try output.write(line.logfmt, while: { !Task.isCancelled })
                    written += 1
                }
                if lost > 0, written > 0 {
                    log.write("access-log.resumed", ["lines-lost": String(lost)])
                    lost = 0
                }
            } catch {
                let isWorthSaying = lost == 0 || Task.isCancelled
                lost += lines.count - written
                if isWorthSaying {
                    log.write("access-log.failed", ["cause": error.message, "lines-lost": String(lost)])
                }
            }
        } while !Task.isCancelled || state.withLock({ !$0.waiting.isEmpty })
    }
}

extension AccessLine {
    /// How much memory it takes, about.
    fileprivate var byteCount: Int { method.utf8.count + path.utf8.count + id.utf8.count + 128 }

    /// The line, with its end.
    fileprivate var logfmt: String {
        let microseconds = nanoseconds / 1_000
        let fraction = String(microseconds % 1_000)
        let padding = String(repeating: "0", count: 3 - fraction.count)
        return "time=\(Timestamp(milliseconds: time / 1_000_000).rfc3339) event=access client=\(client) "
            + "method=\(Logfmt.value(method)) path=\(Logfmt.value(path)) route=\(Logfmt.value(route)) status=\(status) "
            + "bytes=\(bytes) ms=\(microseconds / 1_000).\(padding)\(fraction) id=\(Logfmt.value(id)) "
            + "whole=\(isWhole)\n"
    }
}
