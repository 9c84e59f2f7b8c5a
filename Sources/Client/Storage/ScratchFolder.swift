import Files
import Glibc

/// A private folder for temporary files, under `TMPDIR` or `/tmp`.
struct ScratchFolder {
    let path: String

    init() throws(SystemError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        path = try Folder.makeTemporary("\(parent)/larder-")
    }

    /// Removes the folder; files that cannot be removed are left to the system.
    func remove() { try? Folder.remove(path) }
}
