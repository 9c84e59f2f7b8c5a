import Domain
import Files
import Glibc
import Ground
import Synchronization

/// A bounded folder of blobs whose originals are in a bucket, evicted by last use.
///
/// After a restart, the access times of the files give the order. An evicted file that is being sent stays on the disk
/// until its descriptor is closed.
final class BlobCache: Sendable {
    let folders: BlobFolders
    /// The maximum sum of the sizes of all files and of those that are being filled.
    let capacity: Int
    /// The descriptor of the lock, which lives as long as the cache.
    private let lock: Int32
    private let state: Mutex<State>

    private struct Entry {
        let size: Int
        /// The number of the entry, which distinguishes it from a later one of the same blob.
        let number: Int
    }

    private struct State {
        var files = RecencyList<SHA256Digest, Entry>()
        /// The sum of the sizes of the files.
        var bytes = 0
        /// The bytes that fills in progress have reserved.
        var reserved = 0
        var filesMade = 0
        var hits = 0
        var evictions = 0
        var entriesMade = 0

        mutating func insert(_ record: BlobRecord) {
            entriesMade += 1
            let former = files.insert(Entry(size: record.size, number: entriesMade), for: record.digest)
            bytes += record.size - (former?.size ?? 0)
        }

        /// Removes a blob, or only the entry with a number.
        mutating func remove(_ digest: SHA256Digest, number: Int? = nil) {
            guard let entry = files.remove(digest) else { return }
            bytes -= entry.size
            guard let number, number != entry.number else { return }
            _ = files.insert(entry, for: digest)
            bytes += entry.size
        }
    }

    static let lockName = "cache.lock"
    /// The maximum number of files that are evicted while the lock is held, since event loops wait for it.
    static let evictionStep = 256

    /// Takes over a folder, which must be empty or a cache, removes staged files, and reads its blobs.
    ///
    /// Throws `busy` if another process uses it, `invalidRequest` if the folder is something else.
    init(_ path: String, capacity: Int) throws(PlatformError) {
        folders = BlobFolders(root: path)
        self.capacity = capacity
        lock = try Self.takeOver(path)
        state = Mutex(State())
        // From here on `deinit` closes the lock, also if this fails.
        try PlatformError.storing(on: path) {
            try folders.make()
            for name in try Folder.entries(folders.staging) { try Folder.remove("\(folders.staging)/\(name)") }
            try readFiles()
        }
    }

    deinit { close(lock) }

    private static func takeOver(_ path: String) throws(PlatformError) -> Int32 {
        try PlatformError.storing(on: path) {
            try Folder.make(path, mode: DataDirectory.folderMode)
            let names = Set(try Folder.entries(path)).subtracting(["lost+found"])
            guard names.isEmpty || names.contains(lockName) else {
                throw PlatformError(
                    .invalidRequest,
                    "\(path) contains other files and is not a cache of Larder. Give an empty folder as --cache-dir.")
            }
            let file = try FileDescriptor.ofOwnFile("\(path)/\(lockName)", O_RDWR | O_CREAT, mode: 0o600)
            guard try file.lock(within: FileDescriptor.lockPatience) else {
                throw PlatformError(
                    .busy, "Another process uses the cache \(path). Give each server its own --cache-dir.")
            }
            return file.release()
        }
    }

    private func readFiles() throws(SystemError) {
        var found: [(digest: SHA256Digest, size: Int, usedAt: Int64)] = []
        for name in BlobFolders.shards {
            for file in try Folder.entries(folders.shard(name)) {
                guard let digest = SHA256Digest(hex: file) else { continue }
                let path = folders.path(of: digest)
                var status = stat()
                try SystemError.check("examining", path) { stat(path, &status) }
                found.append((digest, Int(status.st_size), Int64(status.st_atim.tv_sec)))
            }
        }
        found.sort { $0.usedAt < $1.usedAt }
        state.withLock { state in
            for file in found { state.insert(BlobRecord(digest: file.digest, size: file.size)) }
        }
        evict()
    }

    // MARK: Reading

    /// Opens a cached blob, which becomes the most recently used one; does not block.
    func open(_ digest: SHA256Digest) throws(SystemError) -> OpenBlob? {
        guard let entry = state.withLock({ $0.files.use(digest) }) else { return nil }
        guard let blob = try BlobFolders.open(folders.path(of: digest), mayBeKept: false) else {
            // The file was removed by hand, or is being evicted.
            state.withLock { $0.remove(digest, number: entry.number) }
            return nil
        }
        state.withLock { $0.hits += 1 }
        return blob
    }

    /// Returns whether a blob is cached, without marking it as used; the file may have been removed by hand.
    func lists(_ digest: SHA256Digest) -> Bool { state.withLock { $0.files.contains(digest) } }

    // MARK: Filling

    /// A part of the capacity for one file, which ends with this value.
    struct Reservation: ~Copyable {
        fileprivate let cache: BlobCache
        fileprivate let size: Int

        deinit { cache.state.withLock { $0.reserved -= size } }
    }

    /// Evicts files until a new one fits.
    ///
    /// A blob larger than the capacity is admitted if it is the only one being filled. Returns `nil` if the fills in
    /// progress need the whole capacity.
    func reserve(_ size: Int) -> Reservation? {
        let isAdmitted = state.withLock { state in
            guard state.reserved == 0 || state.reserved + size <= capacity else { return false }
            state.reserved += size
            return true
        }
        guard isAdmitted else { return nil }
        evict()
        return Reservation(cache: self, size: size)
    }

    /// Returns the path of a new file for a blob that is being filled.
    func newPath() -> String {
        let number = state.withLock { state in
            state.filesMade += 1
            return state.filesMade
        }
        return "\(folders.staging)/fill-\(number)"
    }

    /// Adds a complete and verified file by renaming it; evicts others if necessary.
    func add(_ path: String, as record: BlobRecord) throws(SystemError) {
        let target = folders.path(of: record.digest)
        try SystemError.check("renaming", path) { rename(path, target) }
        state.withLock { $0.insert(record) }
        evict()
    }

    /// Removes a blob; does nothing if it is not cached.
    func remove(_ digest: SHA256Digest) throws(SystemError) {
        state.withLock { $0.remove(digest) }
        try Folder.remove(folders.path(of: digest))
    }

    /// Removes the least recently used files until the others fit.
    private func evict() {
        while true {
            let victims = state.withLock { evictSome(from: &$0) }
            remove(victims)
            guard victims.count == Self.evictionStep else { return }
        }
    }

    /// Removes the least recently used files from the list, ``evictionStep`` at most, until the others fit.
    private func evictSome(from state: inout State) -> [SHA256Digest] {
        var victims: [SHA256Digest] = []
        while victims.count < Self.evictionStep, state.bytes + state.reserved > capacity,
            let (digest, entry) = state.files.removeOldest()
        {
            state.bytes -= entry.size
            state.evictions += 1
            victims.append(digest)
        }
        return victims
    }

    /// Unlinks evicted files, outside of the lock, since a large file takes milliseconds.
    ///
    /// A file that was filled again meanwhile is lost with its entry, which the next ``open(_:)`` removes.
    private func remove(_ victims: [SHA256Digest]) {
        for digest in victims { unlink(folders.path(of: digest)) }
    }

    /// The counters: hits, evictions, and the bytes of all files.
    var figures: (hits: Int, evictions: Int, bytes: Int, files: Int) {
        state.withLock { ($0.hits, $0.evictions, $0.bytes, $0.files.count) }
    }
}
