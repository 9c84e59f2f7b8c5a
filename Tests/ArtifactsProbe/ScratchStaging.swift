package import Domain
import Foundation
import Glibc
import Ground
import Synchronization

/// A staging on plain files of a scratch folder, named by digest.
package final class ScratchStaging: BlobStaging {
    private let folder: ScratchFolder
    private let state = Mutex((finished: [SHA256Digest: Int](), fileCount: 0))

    package init(_ folder: ScratchFolder) { self.folder = folder }

    /// The number of files that were begun, finished or not.
    package var fileCount: Int { state.withLock { $0.fileCount } }

    package var records: [BlobRecord] {
        state.withLock { $0.finished.map { BlobRecord(digest: $0.key, size: $0.value) } }
    }

    package func newBlob() throws(PlatformError) -> any BlobFile {
        let number = state.withLock { state in
            state.fileCount += 1
            return state.fileCount
        }
        return try File(path: "\(folder.path)/blob-\(number)", staging: self)
    }

    package func newScratch() throws(PlatformError) -> any BlobFile { try newBlob() }

    package func open(_ digest: SHA256Digest) throws(PlatformError) -> OpenBlob? {
        guard let size = state.withLock({ $0.finished[digest] }) else { return nil }
        let descriptor = Glibc.open("\(folder.path)/\(digest)", O_RDONLY)
        guard descriptor >= 0 else { return nil }
        return OpenBlob(descriptor: descriptor, size: size, storedAt: Timestamp(milliseconds: 0), read: { _, _ in nil })
        {
            Glibc.close($0)
        }
    }

    package func commit() throws(PlatformError) {}

    package func discard() {}

    package func bytes(of digest: SHA256Digest) throws -> [UInt8] { try folder.read(digest.hex) }

    package func path(of digest: SHA256Digest) -> String { "\(folder.path)/\(digest)" }

    private final class File: BlobFile {
        let path: String
        private let staging: ScratchStaging
        private let descriptor: Int32
        private let written = Mutex(0)

        init(path: String, staging: ScratchStaging) throws(PlatformError) {
            self.path = path
            self.staging = staging
            descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
            guard descriptor >= 0 else { throw PlatformError(.storageFailed, "no file") }
        }

        deinit {
            close(descriptor)
            unlink(path)
        }

        var size: Int { written.withLock { $0 } }

        func write(_ bytes: UnsafeRawBufferPointer) throws(PlatformError) {
            guard Glibc.write(descriptor, bytes.baseAddress, bytes.count) == bytes.count else {
                throw PlatformError(.storageFailed, "not written")
            }
            written.withLock { $0 += bytes.count }
        }

        func finish(as digest: SHA256Digest) throws(PlatformError) {
            guard rename(path, staging.path(of: digest)) == 0 else { throw PlatformError(.storageFailed, "not named") }
            staging.state.withLock { $0.finished[digest] = size }
        }
    }
}
