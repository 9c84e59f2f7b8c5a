import CLinux
import Files
import Glibc

extension Disk {
    /// Returns the names in a folder, unordered; empty if the folder does not exist.
    static func entries(_ folder: String) throws(SystemError) -> [String] {
        do throws(SystemError) {
            return try Folder.entries(folder)
        } catch  where error.number == ENOENT {
            return []
        }
    }

    /// Syncs every file and folder under a path.
    static func sync(tree path: String) throws(SystemError) {
        for name in try entries(path) {
            let inside = "\(path)/\(name)"
            switch try kind(of: inside) {
            case .folder: try sync(tree: inside)
            case .file: try FileDescriptor(inside, O_RDONLY | O_NOFOLLOW).sync()
            default: break
            }
        }
        try Folder.sync(path)
    }

    /// Creates a hard link, or a copy if the file system does not support the link.
    static func link(_ path: String, to other: String) throws(SystemError) {
        do throws(SystemError) {
            try SystemError.check("linking", path) { Glibc.link(path, other) }
        } catch  where [EXDEV, EPERM, EMLINK, EOPNOTSUPP].contains(error.number) {
            try copy(path, to: other)
        }
    }

    private static func copy(_ path: String, to other: String) throws(SystemError) {
        let source = try RegularFile(path)
        let target = try FileDescriptor(other, O_WRONLY | O_CREAT, mode: fileMode)
        var offset = 0
        while offset < source.size {
            let piece = try source.read(at: offset, upTo: 256 << 10)
            try target.writeAll(piece)
            offset += piece.count
        }
    }

    /// Exchanges two paths atomically.
    ///
    /// Throws `EINVAL` if the file system cannot exchange names.
    static func exchange(_ path: String, with other: String) throws(SystemError) {
        try SystemError.check("exchanging", other) { clinux_exchange(path, other) }
    }
}
