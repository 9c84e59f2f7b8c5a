import Domain
import Files
import Glibc

/// The regular files below a folder, found without following links.
struct FolderListing {
    /// The files sorted by path; `name` is the relative path as the file system spells it.
    let files: [(path: TreePath, name: String)]

    /// Throws `badPackage` for anything that no tree may contain: links, devices, invalid names, duplicate paths.
    ///
    /// - Parameter skipsJunk: Leaves out the files that macOS adds.
    init(of folder: String, skipsJunk: Bool) throws(PlatformError) {
        var files: [(path: TreePath, name: String)] = []
        var waiting = [""]
        while let parent = waiting.popLast() {
            for name in try Self.names(in: "\(folder)/\(parent)") {
                let whole = EntryName(bytes: Array(parent.utf8) + name)
                if skipsJunk, whole.isJunk { continue }
                let path: TreePath
                do {
                    path = try TreePath(validating: whole.bytes)
                } catch {
                    throw ZipRefusal.path(error).error(entry: whole.shown)
                }
                let spelled = String(decoding: whole.bytes, as: UTF8.self)
                if try Self.isFolder("\(folder)/\(spelled)", shown: whole.shown) {
                    waiting.append(spelled + "/")
                } else {
                    files.append((path, spelled))
                }
            }
        }
        self.files = files.sorted { $0.path < $1.path }
        for (file, next) in zip(self.files, self.files.dropFirst()) where file.path == next.path {
            throw ZipRefusal.duplicate.error(entry: next.path.text)
        }
    }

    private static func names(in folder: String) throws(PlatformError) -> [[UInt8]] {
        do throws(SystemError) { return try Folder.names(in: folder) } catch { throw PlatformError(error) }
    }

    private static func isFolder(_ path: String, shown: String) throws(PlatformError) -> Bool {
        var status = stat()
        do throws(SystemError) {
            try SystemError.check("examining", shown) { lstat(path, &status) }
        } catch { throw PlatformError(error) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return false
        case S_IFDIR: return true
        case S_IFLNK: throw ZipRefusal.symlink.error(entry: shown)
        default: throw ZipRefusal.specialFile.error(entry: shown)
        }
    }
}
