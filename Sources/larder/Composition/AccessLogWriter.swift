import Domain
import Execution
import Glibc
import HTTP
import Server
import Synchronization

/// Writes a line for each answer to a file or to standard error, in logfmt, behind the event loops' backs.
final class AccessLogWriter: AccessLog {
    /// Lines that may wait; what comes when they do is dropped and counted.
    static let capacity = 16_384

    private struct State {
        var waiting: [AccessLine] = []
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
        guard let path else { return }
        let descriptor = Self.open(path)
        guard descriptor >= 0 else {
            throw .failure("cannot write the access log to \(path): \(String(cString: strerror(errno)))")
        }
        close(descriptor)
    }

    func take(_ lines: [AccessLine]) -> Int {
        let taken = state.withLock { state in
            let room = min(Self.capacity - state.waiting.count, lines.count)
            state.waiting += lines.prefix(room)
            return room
        }
        if taken > 0 { arrived.set() }
        return lines.count - taken
    }

    /// Has the file opened anew before the next line, since another may have been put in its place.
    func reopen() {
        state.withLock { $0.wantsReopening = true }
    }

    /// Writes what arrives until cancelled, and what waits then; on a thread that may block.
    func run() async {
        var descriptor: Int32 = path.map(Self.open) ?? STDERR_FILENO
        var isFailing = false
        repeat {
            await arrived.wait()
            let (lines, reopens) = state.withLock { state in
                defer { state = State() }
                return (state.waiting, state.wantsReopening)
            }
            if let path, reopens {
                close(descriptor)
                descriptor = Self.open(path)
            }
            guard !lines.isEmpty else { continue }
            let isWritten = Self.write(Array(lines.map(\.logfmt).joined().utf8), to: descriptor)
            if !isWritten, !isFailing { log.write("access-log.failed", ["cause": String(cString: strerror(errno))]) }
            isFailing = !isWritten
        } while !Task.isCancelled || state.withLock({ !$0.waiting.isEmpty })
        if path != nil { close(descriptor) }
    }

    private static func open(_ path: String) -> Int32 {
        Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o640)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + start }, $0.count - start)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            start += count
        }
        return true
    }
}

extension AccessLine {
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
