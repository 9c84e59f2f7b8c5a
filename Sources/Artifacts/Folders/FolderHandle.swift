import Domain
import Files
import Glibc

/// An open folder, below which files are made without ever following a link; closed with its owner.
struct FolderHandle: ~Copyable {
    private let descriptor: FileDescriptor

    private static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
    private static let mode: mode_t = 0o755

    /// Opens a folder, which is made where it is missing; those above it must be there.
    init(at path: String) throws(PlatformError) {
        do throws(SystemError) {
            try Self.makeUnlessThere(path) { mkdir(path, Self.mode) }
            descriptor = try FileDescriptor(path, Self.flags)
        } catch { throw PlatformError(error) }
    }

    /// The folder of this name in another one, made where it is missing.
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

    /// The folder of this name in this one, made where it is missing; a link is refused, wherever it leads.
    func folder(_ name: String) throws(PlatformError) -> FolderHandle {
        try FolderHandle(name, in: descriptor)
    }

    /// A new file of this name; one that is there is unlinked first, so that other names of it keep their bytes.
    func newFile(_ name: String) throws(PlatformError) -> OutputFile {
        do throws(SystemError) {
            try SystemError.check("replacing", name) { unlinkat(descriptor.number, name, 0) }
        } catch  where error.number == ENOENT {
        } catch { throw PlatformError(error) }
        return try OutputFile(creating: name, in: descriptor)
    }
}
