import Domain
import Files
import Glibc
import Synchronization

/// The file of an upload that is being written.
final class DiskPartFile: PartFile {
    private struct State: ~Copyable {
        let file: FileDescriptor
        var size: Int
        /// Bytes that the disk was not asked to write yet.
        var unsynced = 0
    }

    /// Bytes after which the disk begins to write, so that the end of a large part does not wait for all of them.
    private static let writingLength = 8 << 20

    private let state: Mutex<State>

    /// Throws `EINVAL` where the file has fewer bytes than the offset says.
    init(_ path: String, at offset: Int) throws(SystemError) {
        let file = try FileDescriptor(path, O_WRONLY)
        guard try file.measure().size >= offset else {
            throw SystemError(number: EINVAL, action: "going on with", path: path)
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
                // Part of a piece may have been written that did not fit.
                try state.file.truncate(to: state.size)
                try state.file.setTimes(now.milliseconds)
                try state.file.syncData()
            }
        }
    }
}
