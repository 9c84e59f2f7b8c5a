import Files
import Glibc

/// Operations on files and folders by path; everyone may read the created files.
enum Disk {
    enum Kind {
        case file(size: Int)
        case folder
        case other
    }

    static let fileMode: mode_t = 0o644
    private static let folderMode: mode_t = 0o755

    /// Returns the kind of the entry at a path, without following a symbolic link; `nil` if there is none.
    static func kind(of path: String) throws(SystemError) -> Kind? {
        var status = stat()
        return try kind(path, &status) { lstat(path, &$0) }
    }

    /// Returns the kind of the target of a path, following symbolic links; `nil` if there is none.
    static func kind(ofTarget path: String) throws(SystemError) -> Kind? {
        var status = stat()
        return try kind(path, &status) { stat(path, &$0) }
    }

    private static func kind(
        _ path: String, _ status: inout stat, _ inspect: (inout stat) -> Int32
    ) throws(SystemError) -> Kind? {
        do throws(SystemError) {
            try SystemError.check("examining", path) { inspect(&status) }
        } catch  where error.number == ENOENT || error.number == ENOTDIR {
            return nil
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file(size: Int(status.st_size))
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    /// Reads a whole small file; returns `nil` if there is none.
    ///
    /// Throws `EFBIG` past the limit.
    static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8]? {
        guard try kind(of: path) != nil else { return nil }
        let file = try RegularFile(path)
        guard file.size <= limit else { throw SystemError(number: EFBIG, action: "reading", path: path) }
        return try file.read(at: 0, upTo: limit)
    }

    /// Replaces a file atomically and durably: a reader sees the old bytes or the new ones.
    static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let temporary = path + ".new"
        try write(bytes, to: temporary)
        try rename(temporary, to: path)
        try Folder.sync(parent(of: path))
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let file = try FileDescriptor(path, O_WRONLY | O_CREAT, mode: fileMode)
        try file.replaceContents(bytes)
        try file.sync()
    }

    /// Creates a new file with the given bytes, without syncing it.
    static func write(_ bytes: [UInt8], toNew path: String) throws(SystemError) {
        let file = try FileDescriptor(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: fileMode)
        try file.replaceContents(bytes)
    }

    static func rename(_ path: String, to other: String) throws(SystemError) {
        try SystemError.check("renaming", path) { Glibc.rename(path, other) }
    }

    /// Creates a folder and its missing parents.
    static func makeFolder(_ path: String) throws(SystemError) {
        try Folder.make(path, mode: folderMode)
    }

    /// Returns the parent folder of a path.
    static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
