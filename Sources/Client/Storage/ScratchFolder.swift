import Files
import Glibc
import Synchronization

/// A private folder for temporary files, under `TMPDIR` or `/tmp`.
package struct ScratchFolder {
    let path: String

    private static let all = Mutex<Set<String>>([])

    init() throws(SystemError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let path = try Folder.makeTemporary("\(parent)/larder-")
        self.path = path
        _ = Self.all.withLock { $0.insert(path) }
    }

    /// Removes the folder; files that cannot be removed are left to the system.
    func remove() {
        _ = Self.all.withLock { $0.remove(path) }
        try? Folder.remove(path)
    }

    /// Removes all folders of the process before it is ended by a signal.
    package static func removeAll() {
        for path in all.withLock({ $0 }) { try? Folder.remove(path) }
    }
}
