import Domain
import Files
import Glibc

/// A new file that is written sequentially and closed at the end of its owner's life.
struct OutputFile: ZipSink, ~Copyable {
    private let file: FileDescriptor

    /// Creates a file that must not exist.
    init(creating path: String) throws(PlatformError) {
        do throws(SystemError) {
            file = try FileDescriptor(path, Self.flags, mode: Self.mode)
        } catch { throw PlatformError(error) }
    }

    /// Creates a file that must not exist by its name in a folder.
    init(creating name: String, in folder: borrowing FileDescriptor) throws(PlatformError) {
        do throws(SystemError) {
            file = try FileDescriptor(name, in: folder, Self.flags, mode: Self.mode)
        } catch { throw PlatformError(error) }
    }

    private static let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    private static let mode: mode_t = 0o644

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(PlatformError) {
        do throws(SystemError) { try file.writeAll(bytes) } catch { throw PlatformError(error) }
    }
}
