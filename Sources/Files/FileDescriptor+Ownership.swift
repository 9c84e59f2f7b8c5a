import Glibc

extension FileDescriptor {
    /// Opens or creates the process's own file in a folder that another account may be able to write to.
    ///
    /// Throws if the path is a symbolic link, is no regular file, or is one of several hard links. With such a path the
    /// other account could make root write to a file of its choice, or change its owner.
    ///
    /// - Parameter mayBeCopied: Whether a file of the folder's owner may have several hard links, as after a copy of
    ///   the folder by hard links; has no effect if others may write to the folder.
    package static func ofOwnFile(
        _ path: String, _ flags: Int32, mode: UInt32 = 0, mayBeCopied: Bool = false
    ) throws(SystemError) -> FileDescriptor {
        // Truncates only after the check.
        let file = try FileDescriptor(path, flags & ~O_TRUNC | O_NOFOLLOW | O_NONBLOCK, mode: mode)
        let status = try file.status()
        var folder = stat()
        let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        try SystemError.check("examining", parent) { stat(parent, &folder) }
        let isCopied = mayBeCopied && status.st_uid == folder.st_uid && folder.st_mode & 0o022 == 0
        guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 || isCopied else {
            throw SystemError(number: EPERM, action: "opening (must be a regular file without other names)", path: path)
        }
        if flags & O_TRUNC != 0 { try file.truncate(to: 0) }
        return file
    }

    /// Changes the file's owner and group to those of another file if the process runs as root; does nothing otherwise.
    package func own(like other: String) throws(SystemError) {
        guard geteuid() == 0 else { return }
        var status = stat()
        try SystemError.check("examining", other) { stat(other, &status) }
        try SystemError.check("changing the owner of", path) { fchown(number, status.st_uid, status.st_gid) }
    }
}
