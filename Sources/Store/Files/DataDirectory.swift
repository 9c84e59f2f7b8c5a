package import Domain
import Files
import Glibc
package import Ground

/// The folder with a server's data, owned by one process at a time (semantics.md §8).
///
/// The ownership lasts as long as the object.
package final class DataDirectory: Sendable {
    package let path: String
    private let lock: Int32

    /// The path of the metadata database, which only the server's user may read.
    package var databasePath: String { "\(path)/larder.sqlite" }

    /// The mode of all folders: only the server's user may read them.
    static let folderMode: mode_t = 0o700

    private static let maximumLockLength = 200
    private static let lockPrefix = "process "

    /// The path of an incomplete restore's database; a directory that has one is not served.
    var restoringPath: String { "\(path)/larder.sqlite.restoring" }

    /// The name of an incomplete backup's database; a folder with it and without `larder.sqlite` is not served.
    static let newName = "larder.sqlite.new"

    /// The purpose for which a process opens the directory.
    package enum Purpose: Sendable {
        /// Serving or examining the data.
        case serving
        /// Serving or examining blobs whose metadata are in PostgreSQL.
        case servingWithExternalMetadata
        /// Keeping a backup in the directory; it has to be empty, or hold a complete or incomplete backup.
        case backup
        /// Restoring a backup into the directory; it has to be empty, or hold an incomplete restore.
        case restoring
        /// Receiving the data of a move; it has to be empty, or be the target of an unfinished move.
        case moving
    }

    /// Creates the folder if it is missing, and takes ownership.
    ///
    /// Throws `busy` if another process owns it, `conflict` if its contents do not suit the purpose, `storageFull` or
    /// `storageFailed`.
    ///
    /// - Parameter now: The time that is reported to another process that wants the folder.
    package init(_ path: String, at now: Timestamp, for purpose: Purpose = .serving) throws(PlatformError) {
        self.path = path
        lock = try PlatformError.storing(on: path) {
            let isNew = try Folder.make(path, mode: Self.folderMode)
            // Checked before the lock is written: a file of that name may belong to another program.
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
        case .servingWithExternalMetadata:
            try requireNoMove(path, names)
            try requireNoMetadata(path, names)
        case .moving: try requireMovable(path, names)
        case .serving:
            try requireNoMove(path, names)
            guard !names.contains(bindingName) else { throw metadataElsewhere(path) }
            guard !isRestoring else {
                throw PlatformError(
                    .conflict,
                    "A restore into \(path) was interrupted. Run 'larder restore' again with the same backup.")
            }
            guard names.contains("larder.sqlite") || !names.contains(newName) else {
                throw PlatformError(
                    .conflict,
                    "\(path) contains a first backup that was interrupted. Run 'larder backup' into it again, or give "
                        + "another data directory.")
            }
            if !names.contains("larder.sqlite") { try requireNoBlobs(path) }
            _ = try FileDescriptor("\(path)/larder.sqlite", O_RDWR | O_CREAT, mode: 0o600)
        case .backup:
            // Checked again: a server may have held the lock until now.
            try requireBackup(path)
            // Marks the folder before other files are created in it.
            if !names.contains("larder.sqlite"), !names.contains(newName) {
                _ = try FileDescriptor("\(path)/\(newName)", O_WRONLY | O_CREAT, mode: 0o600)
            }
        case .restoring:
            guard isRestoring || names.isSubset(of: ["lock", "lost+found"]) else {
                throw PlatformError(
                    .conflict, "\(path) is not empty. Move its content elsewhere, then restore into the empty folder."
                )
            }
            _ = try FileDescriptor.ofOwnFile("\(path)/larder.sqlite.restoring", O_RDWR | O_CREAT, mode: 0o600)
        }
    }

    /// Throws `conflict` unless the folder is empty or holds a complete or incomplete backup.
    private static func requireBackup(_ path: String) throws {
        let names = Set(try Folder.entries(path)).subtracting(["lost+found"])
        // A server creates these at its first start, and a backup never does.
        guard !names.contains("larder.sqlite.restoring"), !names.contains("uploads") else {
            throw PlatformError(.conflict, "\(path) is the data directory of a server. Give another folder.")
        }
        let isBackup = names.contains("larder.sqlite") || names.contains(newName)
        // A backup may have been killed between writing the lock and the mark.
        let isEmpty = names.isEmpty || (names == ["lock"] && isLock("\(path)/lock"))
        let parts: Set = ["lock", "blobs", "staging", RemovalHold.fileName]
        // Names that begin with a dot belong to file systems and snapshot tools; backups never write to them.
        let others = names.filter { !parts.contains($0) && !$0.hasPrefix("larder.sqlite") && !$0.hasPrefix(".") }
        guard isEmpty || (isBackup && others.isEmpty) else {
            let name = others.min() ?? names.min() ?? ""
            throw PlatformError(
                .conflict,
                "\(path) contains '\(name)' and is not a folder of 'larder backup'. Give an empty folder, or the folder "
                    + "of an earlier backup.")
        }
    }

    /// Whether the contents of a file are those of a lock of Larder.
    private static func isLock(_ path: String) -> Bool {
        guard let start = try? RegularFile(path).read(at: 0, upTo: lockPrefix.utf8.count) else { return false }
        return start.isEmpty || start.elementsEqual(lockPrefix.utf8)
    }
}
