import Glibc

/// File operations of a test by path; a failure ends the test.
enum Files {
    static func write(_ text: String, to path: String) { write(Array(text.utf8), to: path) }

    static func write(_ bytes: [UInt8], to path: String) {
        makeFolders(above: path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        precondition(descriptor >= 0 && Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        close(descriptor)
    }

    /// Returns the contents of a file, or `nil` if there is none.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = Glibc.read(descriptor, &buffer, buffer.count), count > 0 {
            bytes += buffer.prefix(count)
        }
        return bytes
    }

    static func text(_ path: String) -> String? { read(path).map { String(decoding: $0, as: UTF8.self) } }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Returns every file below a folder with its text.
    static func tree(_ folder: String) -> [String: String] {
        var files: [String: String] = [:]
        for name in names(folder) {
            let path = "\(folder)/\(name)"
            if let inside = isFolder(path) ? tree(path) : nil {
                for (key, value) in inside { files["\(name)/\(key)"] = value }
            } else {
                files[name] = text(path)
            }
        }
        return files
    }

    static func names(_ folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func makeFolders(above path: String) {
        var index = path.index(after: path.startIndex)
        while let slash = path[index...].firstIndex(of: "/") {
            mkdir(String(path[..<slash]), 0o755)
            index = path.index(after: slash)
        }
    }
}
