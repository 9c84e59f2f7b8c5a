import Glibc
import Synchronization

/// The output of log lines: a file, or standard error.
///
/// Only one thread may use it at a time; the calls block.
struct LogOutput: ~Copyable {
    /// The path of the log file; `nil` for standard error.
    private let path: String?
    private var descriptor: Int32
    /// Whether the last write ended inside a line.
    private var isInLine = false
    /// The bytes of the last text that were written.
    private(set) var written = 0
    /// The lock of all outputs for one write, since poll(2) promises the free space of a pipe to one writer.
    ///
    /// A line that fits into one write never mixes with those of another output, or of another process at the same
    /// pipe.
    private static let piece = Mutex(())

    /// The bytes that a pipe accepts without blocking when it is writable (pipe(7)).
    private static let pieceBytes = 4_096
    /// The milliseconds to wait for a stalled reader before checking whether to wait any longer.
    private static let patience: Int32 = 500

    init(path: String?) {
        self.path = path
        descriptor = path.map(Self.open) ?? STDERR_FILENO
    }

    deinit {
        if path != nil, descriptor >= 0 { close(descriptor) }
    }

    /// Reopens the file, since log rotation may have replaced it; keeps the old one if that fails.
    mutating func reopen() {
        guard let path else { return }
        let fresh = Self.open(path)
        guard fresh >= 0 else { return }
        if descriptor >= 0 { close(descriptor) }
        descriptor = fresh
    }

    /// Writes all bytes; throws if a write fails, or if the reader stalls and `isWorthWaiting` returns `false`.
    mutating func write(_ text: String, while isWorthWaiting: () -> Bool) throws(CommandError) {
        if descriptor < 0 { reopen() }
        guard descriptor >= 0 else { throw .failure("it cannot be opened") }
        var bytes = (isInLine ? [UInt8(ascii: "\n")] : []) + Array(text.utf8)
        written = 0
        while !bytes.isEmpty {
            guard isReady(within: Self.patience) else {
                guard isWorthWaiting() else { throw .failure("the reader stalled") }
                continue
            }
            let (count, code) = writePiece(of: bytes)
            if count > 0 {
                isInLine = bytes[count - 1] != UInt8(ascii: "\n")
                bytes.removeFirst(count)
                written = max(0, text.utf8.count - bytes.count)
            } else if code != EINTR, code != EAGAIN {
                throw .failure(String(cString: strerror(code)))
            }
        }
    }

    private func isReady(within milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&wait, 1, milliseconds) != 0
    }

    private func writePiece(of bytes: [UInt8]) -> (count: Int, code: Int32) {
        Self.piece.withLock { _ in
            guard isReady(within: 0) else { return (-1, EAGAIN) }
            let count = Glibc.write(descriptor, bytes, Self.pieceLength(of: bytes))
            return (count, count < 0 ? errno : 0)
        }
    }

    /// Returns the length of the whole lines that fit into one write, or of the beginning of a longer line.
    private static func pieceLength(of bytes: [UInt8]) -> Int {
        let most = min(bytes.count, pieceBytes)
        return bytes[..<most].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? most
    }

    /// Throws unless a file can be written; creates a missing file.
    static func check(_ path: String) throws(CommandError) {
        let descriptor = open(path)
        guard descriptor >= 0 else {
            throw .failure("cannot write the access log to \(path): \(String(cString: strerror(errno)))")
        }
        close(descriptor)
    }

    private static func open(_ path: String) -> Int32 {
        Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o640)
    }
}
