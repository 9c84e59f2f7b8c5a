import Domain
import Files
import Glibc
import Ground

/// The folders of blobs: `blobs/ab/` for digests that begin with these hexadecimal digits, and `staging/` for staged
/// files.
struct BlobFolders: Sendable {
    let root: String

    init(root: String) { self.root = root }

    var blobs: String { "\(root)/blobs" }
    var staging: String { "\(root)/staging" }

    static let shards: [String] = (0...255).map { Hex.encode([UInt8($0)]) }

    func shard(_ name: String) -> String { "\(blobs)/\(name)" }

    func shard(of digest: SHA256Digest) -> String { shard(Hex.encode(digest.bytes.prefix(1))) }

    func path(of digest: SHA256Digest) -> String { "\(shard(of: digest))/\(digest.hex)" }

    /// Creates all folders durably, so that a commit has to create none.
    func make() throws(SystemError) {
        try make(blobs)
        try make(staging)
        for name in Self.shards { try make(shard(name)) }
        // Syncs even if no folder was missing: an earlier process may have been killed before this point.
        try Folder.sync(blobs)
        try Folder.sync(root)
    }

    /// Returns the digests of all blobs; a missing folder has none.
    func digests() throws(SystemError) -> Set<SHA256Digest> {
        var digests: Set<SHA256Digest> = []
        for shard in Self.shards.map(shard) where access(shard, F_OK) == 0 {
            for name in try Folder.entries(shard) {
                if let digest = SHA256Digest(hex: name) { digests.insert(digest) }
            }
        }
        return digests
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

    /// Opens the blob at a path; returns `nil` if there is none.
    static func open(_ path: String, mayBeKept: Bool = true) throws(SystemError) -> OpenBlob? {
        do throws(SystemError) {
            let file = try RegularFile(path)
            let (size, writtenAt) = try file.descriptor.measure()
            // A blob is written once and then renamed, so its modification time never changes.
            return OpenBlob(
                descriptor: file.release(), size: size, storedAt: Timestamp(milliseconds: writtenAt),
                mayBeKept: mayBeKept, read: read, close: { close($0) })
        } catch  where error.number == ENOENT {
            return nil
        }
    }

    /// Whether the store has this blob in full length.
    func has(_ record: BlobRecord) throws(SystemError) -> Bool {
        let path = path(of: record.digest)
        var status = stat()
        do throws(SystemError) {
            try SystemError.check("examining", path) { stat(path, &status) }
        } catch  where error.number == ENOENT {
            return false
        }
        return Int(status.st_size) == record.size
    }
}
