import Glibc

/// Where log lines end up: a file, or standard error.
///
/// For one thread at a time, which may block.
struct LogOutput: ~Copyable {
    /// `nil` for standard error.
    private let path: String?
    private var descriptor: Int32

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
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            if poll(&wait, 1, Self.patience) == 0 {
                guard isWorthWaiting() else { throw .failure("nobody reads") }
                continue
            }
            let count = bytes.prefix(Self.pieceBytes).withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                throw .failure(String(cString: strerror(errno)))
            }
        }
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
