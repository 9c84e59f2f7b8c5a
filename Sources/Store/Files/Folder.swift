import Glibc

/// Calls on folders by path.
enum Folder {
    /// Nobody but the server's user reads what it keeps.
    static let mode: mode_t = 0o700

    /// Makes a folder, and those above it that are missing; `false` where it was there.
    @discardableResult
    static func make(_ path: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try SystemError.check("mkdir", path) { mkdir(path, mode) }
            return true
        } catch  where error.number == EEXIST {
            return false
        } catch  where error.number == ENOENT {
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { throw error }
            try make(String(path[..<slash]))
            try SystemError.check("mkdir", path) { mkdir(path, mode) }
            return true
        }
    }

    /// The names in a folder but `.` and `..`.
    static func entries(_ path: String) throws(SystemError) -> [String] {
        guard let stream = opendir(path) else { throw SystemError(number: errno, call: "opendir", path: path) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw SystemError(number: errno, call: "readdir", path: path) }
                return names
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// Removes a file, or a folder with all that is in it; a link is removed and not followed.
    static func remove(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            try SystemError.check("unlink", path) { unlink(path) }
        } catch  where error.number == EISDIR {
            for name in try entries(path) { try remove("\(path)/\(name)") }
            try SystemError.check("rmdir", path) { rmdir(path) }
        }
    }

    /// Returns when the entries of a folder are on the disk.
    static func sync(_ path: String) throws(SystemError) {
        try FileDescriptor(directory: path).sync()
    }
}
