import CLinux
import Files
import Glibc

extension Disk {
    /// The names in a folder, in no order; empty where there is no folder.
    static func entries(_ folder: String) throws(SystemError) -> [String] {
        do throws(SystemError) {
            return try Folder.entries(folder)
        } catch  where error.number == ENOENT {
            return []
        }
    }

    /// Makes every file and every folder under a path durable.
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

    /// Puts a file under a second name; as a copy where the file system has no hard links for it.
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

    /// Puts what is at `path` under `other` in one step; what was there is at `path` afterwards.
    ///
    /// Throws `EINVAL` where the file system cannot exchange names.
    static func exchange(_ path: String, with other: String) throws(SystemError) {
        try SystemError.check("exchanging", other) { clinux_exchange(path, other) }
    }
}
