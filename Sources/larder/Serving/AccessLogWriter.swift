import Domain
import Execution
import Ground
import HTTP
import Server
import Synchronization

/// An access log that writes a line for each response in logfmt, off the event loops.
final class AccessLogWriter: AccessLog {
    /// The bytes of lines that may wait; further lines are dropped and counted.
    static let capacity = 8 << 20

    private struct State {
        var waiting: [AccessLine] = []
        var bytes = 0
        var wantsReopening = false
    }

    /// The path of the log file; `nil` for standard error.
    private let path: String?
    private let log: any Log
    private let state = Mutex(State())
    private let arrived = AsyncFlag()

    /// - Parameter path: A file to append to; `nil` for standard error.
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

    /// Reopens the file before the next line, since log rotation may have replaced it.
    func reopen() {
        state.withLock { $0.wantsReopening = true }
    }

    /// Writes lines until cancelled, then the remaining lines if the output accepts them.
    ///
    /// Blocks its thread.
    func run() async {
        var output = LogOutput(path: path)
        // The number of lines lost since the output began to fail.
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
                let isWorthLogging = lost == 0 || Task.isCancelled
                lost += lines.count - written
                if isWorthLogging {
                    log.write("access-log.failed", ["cause": error.message, "lines-lost": String(lost)])
                }
            }
        } while !Task.isCancelled || state.withLock({ !$0.waiting.isEmpty })
    }
}

extension AccessLine {
    /// The approximate memory of the line.
    fileprivate var byteCount: Int { method.utf8.count + path.utf8.count + id.utf8.count + 128 }

    /// The line in logfmt, with its line feed.
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
