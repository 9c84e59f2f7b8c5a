import Domain
import Glibc

/// An open folder, below which files are made without ever following a link; closed with its owner.
struct FolderHandle: ~Copyable {
    private let descriptor: Int32

    /// Opens a folder, which is made where it is missing; those above it must be there.
    init(at path: String) throws(PlatformError) {
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw SystemFailure.error(doing: "Making the folder \(path)")
        }
        try self.init(opening: path, in: AT_FDCWD)
    }

    private init(opening name: String, in parent: Int32) throws(PlatformError) {
        descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure.error(doing: "Opening the folder \(name)") }
    }

    deinit { close(descriptor) }

    /// The folder of this name in this one, made where it is missing; a link is refused, wherever it leads.
    func folder(_ name: String) throws(PlatformError) -> FolderHandle {
        guard mkdirat(descriptor, name, 0o755) == 0 || errno == EEXIST else {
            throw SystemFailure.error(doing: "Making the folder \(name)")
        }
        return try FolderHandle(opening: name, in: descriptor)
    }

    /// A new file of this name; one that is there is unlinked first, so that other names of it keep their bytes.
    func newFile(_ name: String) throws(PlatformError) -> OutputFile {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
            throw SystemFailure.error(doing: "Replacing the file \(name)")
        }
        return try OutputFile(creating: name, in: descriptor)
    }
}
