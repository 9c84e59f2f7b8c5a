import Domain
import Files
import Glibc
import Ground
import Synchronization

/// The file of an upload that is being written.
final class DiskPartFile: PartFile {
    private struct State: ~Copyable {
        let file: FileDescriptor
        var size: Int
        /// The number of bytes that the disk has not been asked to write.
        var unsynced = 0
    }

    /// The number of bytes after which writing to the disk begins, so that the end of a large part does not wait for
    /// all of them.
    private static let writingLength = 8 << 20

    private let state: Mutex<State>

    /// Opens the file at an offset; throws `EINVAL` if the file is shorter.
    init(_ path: String, at offset: Int) throws(SystemError) {
        let file = try FileDescriptor(path, O_WRONLY)
        guard try file.measure().size >= offset else {
            throw SystemError(number: EINVAL, action: "continuing", path: path)
        }
        try file.truncate(to: offset)
        state = Mutex(State(file: file, size: offset))
    }

    var size: Int { state.withLock { $0.size } }

    func append(_ bytes: [UInt8]) throws(PlatformError) {
        try PlatformError.storing {
            try state.withLock { state in
                try state.file.writeAll(bytes)
                state.size += bytes.count
                state.unsynced += bytes.count
                if state.unsynced >= Self.writingLength {
                    state.file.beginWriting()
                    state.unsynced = 0
                }
            }
        }
    }

    func truncate(to size: Int) throws(PlatformError) {
        try PlatformError.storing {
            try state.withLock { state in
                try state.file.truncate(to: size)
                state.size = size
            }
        }
    }

    func save(at now: Timestamp) throws(PlatformError) {
        try PlatformError.storing {
            try state.withLock { state in
                // A piece that did not fit may have been written in part.
                try state.file.truncate(to: state.size)
                try state.file.setTimes(now.milliseconds)
                try state.file.syncData()
            }
        }
    }
}
