import Glibc

/// A reader of small files that the user names.
enum SmallFile {
    /// Returns the file's bytes; throws `tooLong` past the limit.
    static func read(_ path: String, upTo limit: Int) throws(SmallFileError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(code: errno) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count <= limit {
            let read = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, limit + 1 - count)
            }
            if read == 0 { return Array(bytes.prefix(count)) }
            guard read > 0 || errno == EINTR else { throw .unreadable(code: errno) }
            count += max(0, read)
        }
        throw .tooLong
    }
}
