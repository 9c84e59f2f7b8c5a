import Domain
import Files
import Glibc
import Ground

/// A file of the cache that receives an object, and its digest.
final class BlobFill {
    private let cache: BlobCache
    private let path: String
    private let file: FileDescriptor
    private let digest: any RunningDigest
    private var reservation: BlobCache.Reservation?
    private var count = 0
    private let size: Int

    /// Reserves capacity for an object and creates its file.
    init(of object: S3Object, in cache: BlobCache, cryptography: any Cryptography) throws(S3Error) {
        guard object.size <= RemoteLimits.largestObject else { throw .malformed("an object has \(object.size) bytes") }
        reservation = cache.reserve(object.size)
        let isReserved = reservation != nil
        guard isReserved else { throw .cacheBusy }
        self.cache = cache
        size = object.size
        path = cache.newPath()
        do throws(PlatformError) { digest = try cryptography.digest(.sha256) } catch { throw .malformed("\(error)") }
        do throws(SystemError) {
            file = try FileDescriptor(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        } catch { throw .localFile(error) }
    }

    // Does nothing if the file was renamed.
    deinit { unlink(path) }

    func write(_ bytes: UnsafeRawBufferPointer) throws(S3Error) {
        guard count + bytes.count <= size else { throw .malformed("an object is longer than its length") }
        do throws(SystemError) { try file.writeAll(bytes) } catch { throw .localFile(error) }
        digest.update(Array(bytes))
        count += bytes.count
    }

    /// Verifies the file and makes it a blob of the cache.
    ///
    /// Throws `damaged` if its bytes differ from the name.
    func finish(as name: SHA256Digest, _ object: S3Object, key: String) throws(S3Error) -> OpenBlob {
        guard count == size, digest.finish() == name.bytes else { throw .damaged(key: key) }
        do throws(SystemError) {
            // Otherwise a crash of the machine could leave a file of this name with other bytes.
            try file.syncData()
            if let date = object.modified { try file.setModified(date.milliseconds) }
            // Opened before it can be evicted.
            guard let blob = try BlobFolders.open(path, mayBeKept: false) else {
                throw SystemError(number: ENOENT, action: "opening", path: path)
            }
            // Its bytes count as those of a file from now on.
            reservation = nil
            try cache.add(path, as: BlobRecord(digest: name, size: size))
            return blob
        } catch { throw .localFile(error) }
    }
}
