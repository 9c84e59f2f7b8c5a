import Files
import Glibc

/// The failure of an operation on a file of the user.
package struct FileFailure: Error, Sendable, CustomStringConvertible {
    package let description: String
    /// Whether the path, or a part of it, is missing or is no folder.
    package let isMissing: Bool

    init(_ error: SystemError) {
        description = error.description
        isMissing = error.number == ENOENT || error.number == ENOTDIR
    }
}

/// Small files that commands read and write by path.
package enum LocalFile {
    private static let privateMode: mode_t = 0o600
    private static let privateFolderMode: mode_t = 0o700

    private static func attempt<Result>(
        _ body: () throws(SystemError) -> Result
    ) throws(FileFailure) -> Result {
        do throws(SystemError) { return try body() } catch { throw FileFailure(error) }
    }

    /// Returns the bytes of a file; `nil` if there is none.
    ///
    /// Fails past the limit.
    package static func read(_ path: String, upTo limit: Int) throws(FileFailure) -> [UInt8]? {
        try attempt { () throws(SystemError) in try Disk.read(path, limit: limit) }
    }

    /// Replaces a file that everyone may read, atomically.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(FileFailure) {
        try attempt { () throws(SystemError) in try Disk.replace(path, with: bytes) }
    }

    /// Appends to a file, which is created if it is missing.
    package static func append(_ bytes: [UInt8], to path: String) throws(FileFailure) {
        try attempt { () throws(SystemError) in
            let file = try FileDescriptor(path, O_WRONLY | O_CREAT | O_APPEND, mode: Disk.fileMode)
            try file.writeAll(bytes)
        }
    }

    /// Replaces a file that only its owner may read, atomically and durably; creates its folder for the owner only.
    package static func replacePrivate(_ path: String, with bytes: [UInt8]) throws(FileFailure) {
        try attempt { () throws(SystemError) in
            let folder = Disk.parent(of: path)
            try Folder.make(folder, mode: privateFolderMode)
            let temporary = path + ".new"
            unlink(temporary)
            let file = try FileDescriptor(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: privateMode)
            try file.writeAll(bytes)
            try file.sync()
            try Disk.rename(temporary, to: path)
            try Folder.sync(folder)
        }
    }

    /// Removes a file; does nothing if there is none.
    package static func remove(_ path: String) { unlink(path) }

    /// Returns the names in a folder; empty if there is none.
    package static func names(in folder: String) -> [String] { (try? Folder.entries(folder)) ?? [] }

    /// Returns whether a path leads to a folder.
    package static func isFolder(_ path: String) -> Bool {
        guard case .folder? = try? Disk.kind(ofTarget: path) else { return false }
        return true
    }

    /// Returns whether accounts other than the owner have access to a file.
    package static func isShared(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
    }
}
