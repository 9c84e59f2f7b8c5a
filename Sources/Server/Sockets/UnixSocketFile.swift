import CLinux
import Glibc

/// The file of a unix socket, identified as the one that a particular socket created.
struct UnixSocketFile: Sendable {
    let path: String
    private let identity: Identity

    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t

        /// Returns `nil` if the path is no socket.
        init?(_ path: String) {
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
            device = status.st_dev
            inode = status.st_ino
        }
    }

    /// The file's mode: only the owner and the group may connect, whatever the process's umask.
    static let mode: mode_t = 0o660

    /// The maximum length of a path in bytes: the kernel's room less the NUL at the end.
    static let longestPath = 107

    static func isPath(_ text: String) -> Bool {
        text.hasPrefix("/") && text.utf8.count <= longestPath && !text.utf8.contains(0)
    }

    /// Binds a socket to a path and replaces the file that a crashed process left there.
    ///
    /// Throws `EADDRINUSE` if another process listens, or if the path is no socket. Two processes that replace the same
    /// file at the same time are not detected here, but by the lock of the data directory.
    ///
    /// - Parameter pause: Waits for the time that a process may take between binding a socket and listening.
    init(
        binding socket: Int32, to path: String, pause: () -> Void = { usleep(UnixSocketFile.patience) }
    ) throws(ServerError) {
        self.path = path
        let subject = "unix:\(path)"
        do throws(ServerError) {
            try UnixAddress(path).bind(socket, subject)
        } catch .system(_, _, EADDRINUSE) {
            guard let left = Identity(path), Self.isAbandoned(path, pause), left == Identity(path) else {
                throw .system(call: "bind", subject: subject, code: EADDRINUSE)
            }
            try SystemCall.check("unlink", subject) { unlink(path) }
            try UnixAddress(path).bind(socket, subject)
        }
        // No client can connect before the socket listens.
        try SystemCall.check("chmod", subject) { chmod(path, Self.mode) }
        guard let identity = Identity(path) else { throw .system(call: "stat", subject: subject, code: ENOENT) }
        self.identity = identity
    }

    /// Removes the file, unless another process has replaced it.
    ///
    /// Call it while the socket is open: the inode of its file is not reused before the socket is closed.
    func remove() {
        if Identity(path) == identity { _ = unlink(path) }
    }

    /// The pause in microseconds.
    private static let patience: useconds_t = 100_000

    /// Whether no process listens at an existing socket, now and after the pause.
    private static func isAbandoned(_ path: String, _ pause: () -> Void) -> Bool {
        guard isRefusing(path) else { return false }
        pause()
        return isRefusing(path)
    }

    private static func isRefusing(_ path: String) -> Bool {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let number = socket(AF_UNIX, kind, 0)
        guard number >= 0 else { return false }
        let probe = Descriptor(owning: number)
        // A listener with a full queue returns EAGAIN.
        return UnixAddress(path).connect(probe.number) == ECONNREFUSED
    }
}

/// A path as the kernel's address.
private struct UnixAddress {
    private var address = sockaddr_un()

    /// - Parameter path: A path that satisfies ``UnixSocketFile/isPath(_:)``.
    init(_ path: String) {
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    }

    func bind(_ number: Int32, _ subject: String) throws(ServerError) {
        try SystemCall.check("bind", subject) { call(Glibc.bind, number) }
    }

    /// Returns zero or an `errno`.
    func connect(_ number: Int32) -> Int32 {
        SystemCall.retrying { Int(call(Glibc.connect, number)) }.code
    }

    private func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ number: Int32
    ) -> Int32 {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
