package import Domain
import Files
import Glibc

/// The folder with everything that a server keeps; owned by one process at a time (semantics.md §8).
///
/// Owned for as long as this lives.
package final class DataDirectory: Sendable {
    package let path: String
    private let lock: Int32

    /// The file of the metadata, there and readable by nobody else.
    package var databasePath: String { "\(path)/larder.sqlite" }

    /// Nobody but the server's user reads what it keeps.
    static let folderMode: mode_t = 0o700

    private static let maximumLockLength = 200

    /// Makes the folder where there is none, and takes it.
    ///
    /// Throws `busy` where another process has it, `storageFull` or `storageFailed`.
    ///
    /// - Parameter now: What the next process that wants it is told.
    package init(_ path: String, at now: Timestamp) throws(PlatformError) {
        self.path = path
        lock = try PlatformError.storing {
            let isNew = try Folder.make(path, mode: Self.folderMode)
            let lock = try FileDescriptor("\(path)/lock", O_RDWR | O_CREAT, mode: 0o600)
            guard try lock.lock(within: FileDescriptor.lockPatience) else {
                let holder = String(decoding: try lock.read(upTo: Self.maximumLockLength), as: UTF8.self)
                throw PlatformError(
                    .busy, "The data directory \(path) is in use by \(holder.isEmpty ? "another process" : holder).")
            }
            try lock.replaceContents(Array("process \(getpid()), started \(now.rfc3339)".utf8))
            _ = try FileDescriptor("\(path)/larder.sqlite", O_RDWR | O_CREAT, mode: 0o600)
            try Folder.sync(path)
            if isNew { try Folder.sync("\(path)/..") }
            return lock.release()
        }
    }

    deinit { close(lock) }
}
