import Files
import Glibc

/// An exclusive lock on a folder across processes; released by `deinit` or the end of the process.
struct FolderLock: ~Copyable {
    private let file: FileDescriptor

    /// The failure to take the lock.
    enum Refusal: Error {
        /// Another process holds the lock; the text is its description of itself.
        case held(by: String)
        case storage(SystemError)
    }

    /// Takes the lock at a path and writes the holder's description into the file.
    init(_ path: String, holder: String) throws(Refusal) {
        file = try Self.take(path, holder)
    }

    private static func take(_ path: String, _ holder: String) throws(Refusal) -> FileDescriptor {
        let other: String
        do throws(SystemError) {
            let file = try FileDescriptor(path, O_RDWR | O_CREAT, mode: Disk.fileMode)
            if try file.lock(within: FileDescriptor.lockPatience) {
                try file.replaceContents(Array((holder + "\n").utf8))
                return file
            }
            other = Self.holder(file)
        } catch { throw .storage(error) }
        throw .held(by: other)
    }

    private static func holder(_ file: borrowing FileDescriptor) -> String {
        let note = (try? file.read(upTo: 200)) ?? []
        let line = note.prefix { $0 >= 0x20 && $0 < 0x7F }
        return line.isEmpty ? "another process" : String(decoding: line, as: UTF8.self)
    }
}
