import Glibc

/// Files and folders by path.
enum Disk {
    enum Kind {
        case file(size: Int)
        case folder
        case other
    }

    /// What is at a path, a symbolic link itself; `nil` where there is nothing.
    static func kind(of path: String) throws(StorageError) -> Kind? {
        var status = stat()
        return try kind(lstat(path, &status), status, path)
    }

    /// What is where a path leads, through a symbolic link as well.
    static func kind(ofTarget path: String) throws(StorageError) -> Kind? {
        var status = stat()
        return try kind(stat(path, &status), status, path)
    }

    private static func kind(_ result: Int32, _ status: stat, _ path: String) throws(StorageError) -> Kind? {
        guard result == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw StorageError("looking at", path)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file(size: Int(status.st_size))
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    /// The whole of a small file; `nil` where there is none.
    ///
    /// Throws `EFBIG` past the limit.
    static func read(_ path: String, limit: Int) throws(StorageError) -> [UInt8]? {
        guard try kind(of: path) != nil else { return nil }
        let file = try ReadableFile(path)
        guard file.size <= limit else { throw StorageError("reading", path, code: EFBIG) }
        return try file.read(at: 0, upTo: limit)
    }

    /// Replaces a file in one step, durably: at any moment it holds the old bytes or the new ones.
    static func replace(_ path: String, with bytes: [UInt8]) throws(StorageError) {
        let temporary = path + ".new"
        try write(bytes, to: temporary)
        try rename(temporary, to: path)
        try sync(folder: parent(of: path))
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(StorageError) {
        let file = try WritableFile(path)
        try file.truncate(to: 0)
        try file.write(bytes)
        try file.sync()
    }

    static func rename(_ path: String, to other: String) throws(StorageError) {
        try StorageError.check(Glibc.rename(path, other), "renaming", path)
    }

    /// Makes a folder and those above it that are not there.
    static func makeFolder(_ path: String) throws(StorageError) {
        if mkdir(path, 0o755) == 0 { return }
        if errno == ENOENT, path.contains("/") {
            try makeFolder(parent(of: path))
            try StorageError.check(mkdir(path, 0o755), "making", path)
            return
        }
        let code = errno
        var status = stat()
        guard code == EEXIST, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw StorageError("making", path, code: code)
        }
    }

    /// Makes the names in a folder durable.
    static func sync(folder path: String) throws(StorageError) {
        try fsyncing(path, O_RDONLY | O_DIRECTORY)
    }

    static func sync(file path: String) throws(StorageError) {
        try fsyncing(path, O_RDONLY)
    }

    private static func fsyncing(_ path: String, _ flags: Int32) throws(StorageError) {
        let descriptor = open(path, flags | O_NOFOLLOW | O_CLOEXEC)
        try StorageError.check(descriptor, "opening", path)
        defer { close(descriptor) }
        try StorageError.check(fsync(descriptor), "syncing", path)
    }

    /// The folder that a path lies in.
    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
