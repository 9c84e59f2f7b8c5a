import Files
import Glibc

/// A folder of one's own for files that nobody needs afterwards, under `TMPDIR` or `/tmp`.
struct ScratchFolder {
    let path: String

    init() throws(SystemError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        path = try Folder.makeTemporary("\(parent)/larder-")
    }

    /// Removes the folder; what cannot be removed is the system's to clear.
    func remove() { try? Folder.remove(path) }
}
