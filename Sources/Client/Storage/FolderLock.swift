import Glibc

/// The right to change a folder, held by one process at a time; given back with its owner, or the process.
struct FolderLock: ~Copyable {
    private let descriptor: Int32

    /// Why there is no lock to have.
    enum Refusal: Error {
        /// Another process has it; what it wrote about itself.
        case held(by: String)
        case storage(StorageError)
    }

    /// Milliseconds that another holder is waited for: one that is just ending, or a program that was just started and
    /// has the descriptor until it runs.
    static let patience = 1000

    /// Takes the lock that the file stands for, and writes into it who has it now.
    init(_ path: String, holder: String) throws(Refusal) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .storage(StorageError("opening", path)) }
        let code = Self.lock(descriptor)
        guard code == 0 else {
            let other = Self.holder(descriptor)
            close(descriptor)
            throw code == EWOULDBLOCK ? .held(by: other) : .storage(StorageError("locking", path, code: code))
        }
        let note = Array((holder + "\n").utf8)
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, note, note.count, 0) == note.count else {
            let error = StorageError("writing", path)
            close(descriptor)
            throw .storage(error)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The error's number; 0 once the lock is held.
    private static func lock(_ descriptor: Int32) -> Int32 {
        for _ in 0..<patience / 20 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return 0 }
            guard errno == EWOULDBLOCK || errno == EINTR else { return errno }
            usleep(20_000)
        }
        return EWOULDBLOCK
    }

    private static func holder(_ descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 200)
        let count = max(0, pread(descriptor, &buffer, buffer.count, 0))
        let line = buffer.prefix(count).prefix { $0 >= 0x20 && $0 < 0x7F }
        return line.isEmpty ? "another process" : String(decoding: line, as: UTF8.self)
    }
}
