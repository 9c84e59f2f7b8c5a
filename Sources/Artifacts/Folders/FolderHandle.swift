import Domain
import Files
import Glibc

/// An open folder below which files are created without following links, closed at the end of its owner's life.
struct FolderHandle: ~Copyable {
    private let descriptor: FileDescriptor

    private static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
    private static let mode: mode_t = 0o755

    /// Opens a folder and creates it if it is missing; its parent must exist.
    init(at path: String) throws(PlatformError) {
        do throws(SystemError) {
            try Self.makeUnlessThere(path) { mkdir(path, Self.mode) }
            descriptor = try FileDescriptor(path, Self.flags)
        } catch { throw PlatformError(error) }
    }

    /// Opens a folder by its name in another one and creates it if it is missing.
    private init(_ name: String, in parent: borrowing FileDescriptor) throws(PlatformError) {
        let number = parent.number
        do throws(SystemError) {
            try Self.makeUnlessThere(name) { mkdirat(number, name, Self.mode) }
            descriptor = try FileDescriptor(name, in: parent, Self.flags)
        } catch { throw PlatformError(error) }
    }

    private static func makeUnlessThere(_ name: String, _ make: () -> Int32) throws(SystemError) {
        do throws(SystemError) {
            try SystemError.check("making", name, make)
        } catch  where error.number == EEXIST {}
    }

    /// Opens a folder by its name in this one and creates it if it is missing; rejects a link regardless of its target.
    func folder(_ name: String) throws(PlatformError) -> FolderHandle {
        try FolderHandle(name, in: descriptor)
    }

    /// Creates a file; unlinks an existing one first, so that its other hard links keep their contents.
    func newFile(_ name: String) throws(PlatformError) -> OutputFile {
        do throws(SystemError) {
            try SystemError.check("replacing", name) { unlinkat(descriptor.number, name, 0) }
        } catch  where error.number == ENOENT {
        } catch { throw PlatformError(error) }
        return try OutputFile(creating: name, in: descriptor)
    }
}
