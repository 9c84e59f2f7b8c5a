import Domain
import Files
import Glibc

/// Where blobs lie: `blobs/ab/` and the 64 hex digits that begin so; staged files under `staging/`.
struct BlobFolders: Sendable {
    let root: String

    init(root: String) { self.root = root }

    var blobs: String { "\(root)/blobs" }
    var staging: String { "\(root)/staging" }

    static let shards: [String] = (0...255).map { Hex.encode([UInt8($0)]) }

    func shard(_ name: String) -> String { "\(blobs)/\(name)" }

    func shard(of digest: SHA256Digest) -> String { shard(Hex.encode(digest.bytes.prefix(1))) }

    func path(of digest: SHA256Digest) -> String { "\(shard(of: digest))/\(digest.hex)" }

    /// Makes every folder, durably, so that a commit has none to make.
    func make() throws(SystemError) {
        try make(blobs)
        try make(staging)
        for name in Self.shards { try make(shard(name)) }
        // Also where nothing was missing: an earlier process may have been killed before it came to this point.
        try Folder.sync(blobs)
        try Folder.sync(root)
    }

    private func make(_ path: String) throws(SystemError) {
        try Folder.make(path, mode: DataDirectory.folderMode)
    }

    private static func read(_ descriptor: Int32, _ size: Int) -> [UInt8]? {
        var isWhole = false
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(pread(descriptor, buffer.baseAddress, size, 0), 0)
            isWhole = count == size
        }
        return isWhole ? bytes : nil
    }

    /// Opens the blob at a path; `nil` where there is none.
    static func open(_ path: String) throws(SystemError) -> OpenBlob? {
        do throws(SystemError) {
            let file = try RegularFile(path)
            let (size, writtenAt) = try file.descriptor.measure()
            // Written once, and moved to its place: nothing changes that moment.
            return OpenBlob(
                descriptor: file.release(), size: size, storedAt: Timestamp(milliseconds: writtenAt),
                read: read, close: { close($0) })
        } catch  where error.number == ENOENT {
            return nil
        }
    }

    /// Whether the store has this blob, whole.
    func has(_ record: BlobRecord) throws(SystemError) -> Bool {
        let path = path(of: record.digest)
        var status = stat()
        do throws(SystemError) {
            try SystemError.check("looking at", path) { stat(path, &status) }
        } catch  where error.number == ENOENT {
            return false
        }
        return Int(status.st_size) == record.size
    }
}
