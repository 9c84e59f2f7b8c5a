import Files
import Glibc

/// The right to change a folder, held by one process at a time; given back with its owner, or the process.
struct FolderLock: ~Copyable {
    private let file: FileDescriptor

    /// Why there is no lock to have.
    enum Refusal: Error {
        /// Another process has it; what it wrote about itself.
        case held(by: String)
        case storage(SystemError)
    }

    /// Takes the lock that the file stands for, and writes into it who has it now.
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
