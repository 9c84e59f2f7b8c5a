import Glibc
import Synchronization

/// Where log lines end up: a file, or standard error.
///
/// For one thread at a time, which may block.
struct LogOutput: ~Copyable {
    /// `nil` for standard error.
    private let path: String?
    private var descriptor: Int32
    /// Whether the last write broke off in a line.
    private var isInLine = false
    /// One piece at a time: what a pipe says that it takes is for one writer.
    ///
    /// A line that fits into one never mixes with those of another output, or of another process at the same pipe.
    private static let piece = Mutex(())

    /// How much a pipe takes without blocking once it says that it takes something (pipe(7)).
    private static let pieceBytes = 4_096
    /// How long a reader that has stalled is waited for before it is seen whether it is waited for at all.
    private static let patience: Int32 = 500

    init(path: String?) {
        self.path = path
        descriptor = path.map(Self.open) ?? STDERR_FILENO
    }

    deinit {
        if path != nil, descriptor >= 0 { close(descriptor) }
    }

    /// Opens the file anew, since another may have been put in its place; the old one stays where that fails.
    mutating func reopen() {
        guard let path else { return }
        let fresh = Self.open(path)
        guard fresh >= 0 else { return }
        if descriptor >= 0 { close(descriptor) }
        descriptor = fresh
    }

    /// Writes all bytes; throws what the system says, or that nobody reads where `isWorthWaiting` is no more.
    mutating func write(_ text: String, while isWorthWaiting: () -> Bool) throws(CommandError) {
        if descriptor < 0 { reopen() }
        guard descriptor >= 0 else { throw .failure("it cannot be opened") }
        var bytes = (isInLine ? [UInt8(ascii: "\n")] : []) + Array(text.utf8)
        while !bytes.isEmpty {
            guard isReady(within: Self.patience) else {
                guard isWorthWaiting() else { throw .failure("nobody reads") }
                continue
            }
            let (count, code) = writePiece(of: bytes)
            if count > 0 {
                isInLine = bytes[count - 1] != UInt8(ascii: "\n")
                bytes.removeFirst(count)
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

    /// So many whole lines as fit into a piece, or the beginning of one that does not.
    private static func pieceLength(of bytes: [UInt8]) -> Int {
        let most = min(bytes.count, pieceBytes)
        return bytes[..<most].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? most
    }

    /// Whether a file can be written to; it is made where it is missing.
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
