import CLinux
import Glibc

/// The file by which a unix socket is found, as one socket made it.
struct UnixSocketFile: Sendable {
    let path: String
    private let identity: Identity

    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t

        /// Fails where there is no socket.
        init?(_ path: String) {
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
            device = status.st_dev
            inode = status.st_ino
        }
    }

    /// Who may connect: the owner and the group, whatever the process's umask.
    static let mode: mode_t = 0o660

    /// Bytes of a path: what the kernel has room for, less the NUL at the end.
    static let longestPath = 107

    static func isPath(_ text: String) -> Bool {
        text.hasPrefix("/") && text.utf8.count <= longestPath && !text.utf8.contains(0)
    }

    /// Binds a socket to a path, in the place of what a process left there that ended without removing it.
    ///
    /// Throws `EADDRINUSE` where another process listens, or where there is something else than a socket. Two that start
    /// at the same moment on what a third left are not told apart here, but by the lock of the data directory.
    ///
    /// - Parameter pause: Passes the time that a process may take from binding a socket to listening at it.
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
        // Nobody can connect before the socket listens.
        try SystemCall.check("chmod", subject) { chmod(path, Self.mode) }
        guard let identity = Identity(path) else { throw .system(call: "stat", subject: subject, code: ENOENT) }
        self.identity = identity
    }

    /// Removes the file, unless another process has put its own there meanwhile.
    ///
    /// To be called while the socket is open: the number of its file is not given to another one before it is closed.
    func remove() {
        if Identity(path) == identity { _ = unlink(path) }
    }

    /// In microseconds.
    private static let patience: useconds_t = 100_000

    /// Whether nobody listens at a socket that is there, nor does a moment later.
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
        // A listener whose queue is full says EAGAIN.
        return UnixAddress(path).connect(probe.number) == ECONNREFUSED
    }
}

/// A path as the kernel wants it.
private struct UnixAddress {
    private var address = sockaddr_un()

    /// - Parameter path: As ``UnixSocketFile/isPath(_:)`` has it.
    init(_ path: String) {
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    }

    func bind(_ number: Int32, _ subject: String) throws(ServerError) {
        try SystemCall.check("bind", subject) { call(Glibc.bind, number) }
    }

    /// Zero, or an errno.
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
