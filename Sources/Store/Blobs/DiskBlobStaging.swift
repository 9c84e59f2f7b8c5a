import Domain
import Files
import Glibc
import Synchronization

/// A folder under `staging/` whose files become blobs together.
final class DiskBlobStaging: BlobStaging {
    private let folders: BlobFolders
    private let path: String
    /// The folder, open from the beginning, so that a sync through it reports every write error since.
    private let folder: FileDescriptor
    private let presence: StagingCount.Presence
    private let claims: BlobClaims
    /// The store that uploads the blobs; `nil` if they stay on the local disk.
    private let remote: RemoteBlobStore?
    private let state = Mutex(State())

    private struct State {
        var filesMade = 0
        /// The finished blobs in order.
        var records: [BlobRecord] = []
        var finished: Set<SHA256Digest> = []
        /// The finished blobs that no removal may take: all of them until the staging is discarded.
        var claimed: Set<SHA256Digest> = []
        /// The staged files of finished blobs that the local store does not have yet; of all of them if they are uploaded.
        var pending: [SHA256Digest: String] = [:]
        var isDiscarded = false
    }

    /// The number of files from which one sync of the whole file system costs less than one for each file.
    ///
    /// The sync of the file system also waits for the unsynced writes of other processes.
    static let fileSystemSyncThreshold = 8

    init(
        in folders: BlobFolders, counted count: StagingCount, claims: BlobClaims, remote: RemoteBlobStore? = nil
    ) throws(SystemError) {
        self.folders = folders
        self.claims = claims
        self.remote = remote
        presence = StagingCount.Presence(in: count)
        path = try Folder.makeTemporary("\(folders.staging)/")
        folder = try FileDescriptor(directory: path)
    }

    deinit { discard() }

    var records: [BlobRecord] { state.withLock { $0.records } }

    func newBlob() throws(PlatformError) -> any BlobFile {
        try PlatformError.storing { try DiskBlobFile(nextPath(), in: self) }
    }

    func newScratch() throws(PlatformError) -> any BlobFile {
        try PlatformError.storing { try DiskScratchFile(nextPath(), in: self) }
    }

    func open(_ digest: SHA256Digest) throws(PlatformError) -> OpenBlob? {
        try PlatformError.storing {
            let staged = state.withLock { $0.pending[digest] }
            if staged == nil, let remote { return try remote.open(digest) }
            return try BlobFolders.open(staged ?? folders.path(of: digest))
        }
    }

    /// Makes the blobs visible and durable; after an error some may be visible, and are swept if nothing refers to
    /// them.
    func commit() throws(PlatformError) {
        try PlatformError.storing {
            let (records, pending) = state.withLock { ($0.records, $0.pending) }
            try syncFiles(Array(pending.values))
            if let remote {
                try remote.commit(records.compactMap { record in pending[record.digest].map { (record, $0) } })
                return state.withLock { $0.pending = [:] }
            }
            for record in records {
                guard let staged = pending[record.digest], try !folders.has(record) else { continue }
                let path = folders.path(of: record.digest)
                try SystemError.check("renaming", staged) { rename(staged, path) }
            }
            // Includes the folders of existing blobs: another staging may have added them and not synced yet.
            try syncShards(Set(records.map { folders.shard(of: $0.digest) }))
            state.withLock { $0.pending = [:] }
        }
    }

    /// Removes the staged files; those that cannot be removed now are swept at the next start.
    func discard() {
        let (isLeft, claimed) = state.withLock { state in
            defer {
                state.isDiscarded = true
                state.claimed = []
            }
            return (!state.isDiscarded, state.claimed)
        }
        claims.release(claimed)
        if isLeft { try? Folder.remove(path) }
    }

    /// Registers a written file as a blob.
    func finished(_ path: String, as record: BlobRecord) throws(SystemError) {
        // Claimed before the lookup, so that a stored blob stays.
        state.withLock { state in
            if state.claimed.insert(record.digest).inserted { claims.claim(record.digest) }
        }
        // The cache of a remote store may lose a file at any time, so the staged one is kept for the upload.
        let isStored = remote != nil ? false : try folders.has(record)
        let isFirst = state.withLock { state in
            guard state.finished.insert(record.digest).inserted else { return false }
            state.records.append(record)
            if !isStored { state.pending[record.digest] = path }
            return true
        }
        if isStored || !isFirst { try Folder.remove(path) }
    }

    private func nextPath() -> String {
        let number = state.withLock { state in
            state.filesMade += 1
            return state.filesMade
        }
        return "\(path)/\(number)"
    }

    private func syncFiles(_ paths: [String]) throws(SystemError) {
        guard paths.count < Self.fileSystemSyncThreshold else { return try folder.syncFileSystem() }
        for path in paths { try FileDescriptor(path, O_RDONLY).beginWriting() }
        for path in paths { try FileDescriptor(path, O_RDONLY).syncData() }
    }

    private func syncShards(_ paths: Set<String>) throws(SystemError) {
        guard paths.count < Self.fileSystemSyncThreshold else { return try folder.syncFileSystem() }
        for path in paths { try Folder.sync(path) }
    }
}
