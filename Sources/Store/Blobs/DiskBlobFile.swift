import Domain
import Files
import Glibc
import Synchronization

/// A staged file that becomes a blob.
///
/// Written bytes may stay in a buffer until the file is finished.
final class DiskBlobFile: BlobFile {
    let path: String
    private let staging: DiskBlobStaging
    private let state: Mutex<State>

    /// The size of the buffer in bytes.
    static let bufferSize = 65_536

    private struct State: ~Copyable {
        /// The file; `nil` once it is finished.
        var file: FileDescriptor?
        var buffer: [UInt8] = []
        var size = 0

        mutating func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
            precondition(file != nil, "a finished file takes no more bytes")
            if buffer.count + bytes.count > bufferSize { try flush() }
            if bytes.count > bufferSize {
                try file?.writeAll(bytes)
            } else {
                buffer.append(contentsOf: bytes)
            }
            size += bytes.count
        }

        mutating func flush() throws(SystemError) {
            let held = buffer
            buffer.removeAll(keepingCapacity: true)
            try file?.writeAll(held)
        }
    }

    init(_ path: String, in staging: DiskBlobStaging) throws(SystemError) {
        self.path = path
        self.staging = staging
        state = Mutex(State(file: try FileDescriptor(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)))
    }

    var size: Int { state.withLock { $0.size } }

    func write(_ bytes: UnsafeRawBufferPointer) throws(PlatformError) {
        try PlatformError.storing { try state.withLock { try $0.write(bytes) } }
    }

    func finish(as digest: SHA256Digest) throws(PlatformError) {
        try PlatformError.storing {
            let size = try state.withLock { state in
                try state.flush()
                state.file = nil
                return state.size
            }
            try staging.finished(path, as: BlobRecord(digest: digest, size: size))
        }
    }
}
