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

    /// The database of a restore that is not complete; a directory that has one is not served.
    var restoringPath: String { "\(path)/larder.sqlite.restoring" }

    /// The purpose for which a process opens the directory.
    package enum Purpose: Sendable {
        /// Serves or examines it.
        case serving
        /// Keeps a backup in it.
        case backup
        /// Restores a backup into it; it has to be empty, or hold a restore that is not complete.
        case restoring
    }

    /// Makes the folder where there is none, and takes it.
    ///
    /// Throws `busy` where another process has it, `conflict` where its contents do not go with the purpose,
    /// `storageFull` or `storageFailed`.
    ///
    /// - Parameter now: What the next process that wants it is told.
    package init(_ path: String, at now: Timestamp, for purpose: Purpose = .serving) throws(PlatformError) {
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
            try Self.prepare(path, for: purpose)
            try Folder.sync(path)
            if isNew { try Folder.sync("\(path)/..") }
            return lock.release()
        }
    }

    deinit { close(lock) }

    private static func prepare(_ path: String, for purpose: Purpose) throws {
        let names = Set(try Folder.entries(path))
        let isRestoring = names.contains("larder.sqlite.restoring")
        switch purpose {
        case .serving:
            guard !isRestoring else {
                throw PlatformError(
                    .conflict,
                    "A restore into \(path) was broken off: run 'larder restore' again with the same backup.")
            }
            _ = try FileDescriptor("\(path)/larder.sqlite", O_RDWR | O_CREAT, mode: 0o600)
        case .backup:
            // Made by a server at its first start, and by no backup.
            guard !isRestoring, !names.contains("uploads") else {
                throw PlatformError(.conflict, "\(path) is the data directory of a server: name another folder.")
            }
        case .restoring:
            guard isRestoring || names.isSubset(of: ["lock", "lost+found"]) else {
                throw PlatformError(
                    .conflict, "\(path) is not empty: move what is in it elsewhere, then restore into the empty folder."
                )
            }
            _ = try FileDescriptor("\(path)/larder.sqlite.restoring", O_RDWR | O_CREAT, mode: 0o600)
        }
    }
}
