import Domain
import Files
import Glibc
import Synchronization

/// A staged file that never becomes a blob; its written bytes are readable by its path at once.
final class DiskScratchFile: BlobFile {
    let path: String
    /// The staging, retained so that the folder and the file stay.
    private let staging: DiskBlobStaging
    private let state: Mutex<State>

    private struct State: ~Copyable {
        let file: FileDescriptor
        var size = 0
    }

    init(_ path: String, in staging: DiskBlobStaging) throws(SystemError) {
        self.path = path
        self.staging = staging
        state = Mutex(State(file: try FileDescriptor(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)))
    }

    var size: Int { state.withLock { $0.size } }

    func write(_ bytes: UnsafeRawBufferPointer) throws(PlatformError) {
        try PlatformError.storing {
            try state.withLock { state in
                try state.file.writeAll(bytes)
                state.size += bytes.count
            }
        }
    }

    func finish(as digest: SHA256Digest) {}
}
