import Glibc

/// A folder of one's own for files that nobody needs afterwards, under `TMPDIR` or `/tmp`.
struct ScratchFolder {
    let path: String

    init() throws(StorageError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/larder-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw StorageError("making a folder in", parent) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes the folder; what cannot be removed is the system's to clear.
    func remove() { try? Disk.remove(path) }
}
