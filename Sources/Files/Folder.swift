import Glibc

/// Operations on folders by path.
package enum Folder {
    /// Creates a folder and the missing ones above it; returns `false` if it existed.
    ///
    /// Throws `EEXIST` if the path is something else.
    @discardableResult
    package static func make(_ path: String, mode: UInt32) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try SystemError.check("making", path) { mkdir(path, mode) }
            return true
        } catch  where error.number == EEXIST {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { throw error }
            return false
        } catch  where error.number == ENOENT {
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { throw error }
            try make(String(path[..<slash]), mode: mode)
            // The call for the parent has already created a path that ends in a slash.
            if !path.hasSuffix("/") { try SystemError.check("making", path) { mkdir(path, mode) } }
            return true
        }
    }

    /// Creates a new folder whose path is the prefix and six random letters.
    package static func makeTemporary(_ prefix: String) throws(SystemError) -> String {
        var template = Array("\(prefix)XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } != nil }
        guard made else { throw SystemError(number: errno, action: "creating a folder that begins with", path: prefix) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the names in a folder without `.` and `..`, in no order; repairs bytes that are not UTF-8.
    package static func entries(_ path: String) throws(SystemError) -> [String] {
        try names(in: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the names in a folder without `.` and `..`, in no order, as raw bytes.
    package static func names(in path: String) throws(SystemError) -> [[UInt8]] {
        guard let stream = opendir(path) else { throw SystemError(number: errno, action: "opening", path: path) }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw SystemError(number: errno, action: "listing", path: path) }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) { names.append(name) }
        }
    }

    /// Returns the names of entries that are neither regular files nor folders, such as named pipes and devices.
    ///
    /// Judges a link by its target. Opens none of the entries.
    package static func specialFiles(in path: String) throws(SystemError) -> [String] {
        try entries(path).filter { name in
            var status = stat()
            guard stat("\(path)/\(name)", &status) == 0 else { return false }
            let kind = status.st_mode & S_IFMT
            return kind != S_IFREG && kind != S_IFDIR
        }
    }

    /// Removes a file, or a folder with its contents; removes a link itself.
    ///
    /// Does nothing if the path does not exist.
    package static func remove(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            try SystemError.check("removing", path) { unlink(path) }
        } catch  where error.number == EISDIR {
            for name in try entries(path) { try remove("\(path)/\(name)") }
            try SystemError.check("removing", path) { rmdir(path) }
        } catch  where error.number == ENOENT {}
    }

    /// Waits until the entries of a folder are on the disk.
    package static func sync(_ path: String) throws(SystemError) {
        try FileDescriptor(directory: path).sync()
    }
}
