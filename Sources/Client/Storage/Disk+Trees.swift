import CLinux
import Glibc

extension Disk {
    /// The names in a folder, in no order; empty where there is no folder.
    static func names(in folder: String) throws(StorageError) -> [String] {
        guard let stream = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw StorageError("listing", folder)
        }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw StorageError("listing", folder) }
        return names
    }

    /// Removes whatever is at a path, folders with all they hold; nothing being there is no error.
    static func remove(_ path: String) throws(StorageError) {
        if unlink(path) == 0 || errno == ENOENT { return }
        guard errno == EISDIR || errno == EPERM else { throw StorageError("removing", path) }
        for name in try names(in: path) { try remove("\(path)/\(name)") }
        guard rmdir(path) == 0 || errno == ENOENT else { throw StorageError("removing", path) }
    }

    /// Makes every file and every folder under a path durable.
    static func sync(tree path: String) throws(StorageError) {
        for name in try names(in: path) {
            let inside = "\(path)/\(name)"
            switch try kind(of: inside) {
            case .folder: try sync(tree: inside)
            case .file: try sync(file: inside)
            default: break
            }
        }
        try sync(folder: path)
    }

    /// Puts a file under a second name; as a copy where the file system has no hard links for it.
    static func link(_ path: String, to other: String) throws(StorageError) {
        if Glibc.link(path, other) == 0 { return }
        guard [EXDEV, EPERM, EMLINK, EOPNOTSUPP].contains(errno) else { throw StorageError("linking", path) }
        let source = try ReadableFile(path)
        let target = try WritableFile(other)
        var offset = 0
        while offset < source.size {
            let piece = try source.read(at: offset, upTo: 256 << 10)
            try target.write(piece)
            offset += piece.count
        }
    }

    /// Puts what is at `path` under `other` in one step; what was there is at `path` afterwards.
    ///
    /// Throws `EINVAL` where the file system cannot exchange names.
    static func exchange(_ path: String, with other: String) throws(StorageError) {
        try StorageError.check(clinux_exchange(path, other), "exchanging", other)
    }
}
