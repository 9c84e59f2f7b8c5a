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
    private static let lockPrefix = "process "

    /// The database of a restore that is not complete; a directory that has one is not served.
    var restoringPath: String { "\(path)/larder.sqlite.restoring" }

    /// The database of a backup that is not complete; without a `larder.sqlite` beside it, the folder is not served.
    static let newName = "larder.sqlite.new"

    /// The purpose for which a process opens the directory.
    package enum Purpose: Sendable {
        /// Serves or examines it.
        case serving
        /// Keeps a backup in it; it has to be empty, or hold a backup that is complete or was begun.
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
        lock = try PlatformError.storing(on: path) {
            let isNew = try Folder.make(path, mode: Self.folderMode)
            // Before the lock is written: a file of that name may be somebody else's.
            if purpose == .backup { try Self.requireBackup(path) }
            let lock = try FileDescriptor.ofOwnFile(
                "\(path)/lock", O_RDWR | O_CREAT, mode: 0o600, mayBeCopied: purpose == .backup)
            guard try lock.lock(within: FileDescriptor.lockPatience) else {
                let holder = String(decoding: try lock.read(upTo: Self.maximumLockLength), as: UTF8.self)
                throw PlatformError(
                    .busy, "The data directory \(path) is in use by \(holder.isEmpty ? "another process" : holder).")
            }
            try lock.replaceContents(Array("\(Self.lockPrefix)\(getpid()), started \(now.rfc3339)".utf8))
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
            guard names.contains("larder.sqlite") || !names.contains(newName) else {
                throw PlatformError(
                    .conflict,
                    "\(path) holds a first backup that was broken off. Run 'larder backup' into it again, or name "
                        + "another data directory.")
            }
            _ = try FileDescriptor("\(path)/larder.sqlite", O_RDWR | O_CREAT, mode: 0o600)
        case .backup:
            // Once more: a server may have had the lock until now.
            try requireBackup(path)
            // Marks the folder before anything else is made in it.
            if !names.contains("larder.sqlite"), !names.contains(newName) {
                _ = try FileDescriptor("\(path)/\(newName)", O_WRONLY | O_CREAT, mode: 0o600)
            }
        case .restoring:
            guard isRestoring || names.isSubset(of: ["lock", "lost+found"]) else {
                throw PlatformError(
                    .conflict, "\(path) is not empty: move what is in it elsewhere, then restore into the empty folder."
                )
            }
            _ = try FileDescriptor.ofOwnFile("\(path)/larder.sqlite.restoring", O_RDWR | O_CREAT, mode: 0o600)
        }
    }

    /// Throws `conflict` unless the folder is empty or holds a backup, complete or begun.
    private static func requireBackup(_ path: String) throws {
        let names = Set(try Folder.entries(path)).subtracting(["lost+found"])
        // Made by a server at its first start, and by no backup.
        guard !names.contains("larder.sqlite.restoring"), !names.contains("uploads") else {
            throw PlatformError(.conflict, "\(path) is the data directory of a server: name another folder.")
        }
        let isBackup = names.contains("larder.sqlite") || names.contains(newName)
        // A backup may have been killed between the lock and its mark.
        let isEmpty = names.isEmpty || (names == ["lock"] && isLock("\(path)/lock"))
        let parts: Set = ["lock", "blobs", "staging", RemovalHold.fileName]
        // Names with a dot are of file systems and of tools that take snapshots; no backup writes to them.
        let others = names.filter { !parts.contains($0) && !$0.hasPrefix("larder.sqlite") && !$0.hasPrefix(".") }
        guard isEmpty || (isBackup && others.isEmpty) else {
            let name = others.min() ?? names.min() ?? ""
            throw PlatformError(
                .conflict,
                "\(path) holds '\(name)' and is not a folder of 'larder backup'. Name an empty folder, or the folder "
                    + "of an earlier backup.")
        }
    }

    /// Whether a file holds what Larder writes into a lock.
    private static func isLock(_ path: String) -> Bool {
        guard let start = try? RegularFile(path).read(at: 0, upTo: lockPrefix.utf8.count) else { return false }
        return start.isEmpty || start.elementsEqual(lockPrefix.utf8)
    }
}
