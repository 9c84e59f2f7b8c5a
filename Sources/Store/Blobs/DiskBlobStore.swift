package import Domain
import Files
package import Ground

/// A store of blobs as files on the local disk.
package final class DiskBlobStore: BlobStore {
    private let folders: BlobFolders
    private let stagings = StagingCount()
    private let claims = BlobClaims()

    /// Creates the missing folders `blobs` and `staging` in a data directory, which the caller owns.
    ///
    /// Throws `storageFull` or `storageFailed`. Blocks.
    package init(directory: String) throws(PlatformError) {
        let folders = BlobFolders(root: directory)
        try PlatformError.storing { try folders.make() }
        self.folders = folders
    }

    package func open(_ digest: SHA256Digest) throws(PlatformError) -> OpenBlob? {
        try PlatformError.storing { try BlobFolders.open(folders.path(of: digest)) }
    }

    package func stage() throws(PlatformError) -> any BlobStaging {
        try PlatformError.storing { try DiskBlobStaging(in: folders, counted: stagings, claims: claims) }
    }

    /// Removes staged and unknown files; throws `busy` while any staging exists.
    package func sweep(keeping known: Set<SHA256Digest>) throws(PlatformError) -> Int {
        try PlatformError.storing {
            let removed = try stagings.whileNone {
                try sweepStaging()
                return try sweepBlobs(keeping: known)
            }
            guard let removed else { throw PlatformError(.busy, "A version is being published. Try again later.") }
            return removed
        }
    }

    /// Removes the staged files of a killed process; does nothing while any staging exists.
    package func removeStaged() throws(PlatformError) {
        _ = try PlatformError.storing { try stagings.whileNone { try sweepStaging() } }
    }

    package func condemn(_ digests: Set<SHA256Digest>) -> Set<SHA256Digest> { claims.condemn(digests) }

    package func permitRemoval(at now: Timestamp) throws(PlatformError) -> RemovalPermit? {
        try PlatformError.storing { try RemovalHold.permit(in: folders.root, at: now) }
    }

    package func removeCondemned(_ digests: Set<SHA256Digest>) throws(PlatformError) -> Int {
        try PlatformError.storing {
            try digests.count { digest in
                try claims.ifCondemned(digest) { () throws(SystemError) in try Folder.remove(folders.path(of: digest)) }
            }
        }
    }

    private func sweepStaging() throws(SystemError) {
        for name in try Folder.entries(folders.staging) { try Folder.remove("\(folders.staging)/\(name)") }
    }

    private func sweepBlobs(keeping known: Set<SHA256Digest>) throws(SystemError) -> Int {
        var removed = 0
        for shard in BlobFolders.shards.map(folders.shard) {
            for name in try Folder.entries(shard) {
                guard let digest = SHA256Digest(hex: name), !known.contains(digest) else { continue }
                try Folder.remove("\(shard)/\(name)")
                removed += 1
            }
        }
        return removed
    }
}
