package import Domain
import Ground

extension SQLStore {
    package func blobs() throws(PlatformError) -> Set<SHA256Digest> {
        Set(try transaction { try $0.values("SELECT digest FROM blobs") as [SHA256Digest] })
    }

    package func blobTotals() throws(PlatformError) -> (count: Int, bytes: Int64) {
        try transaction { database in
            let totals = try database.row("SELECT count(*), coalesce(sum(size), 0) FROM blobs") { row in
                (count: try row[0] as Int, bytes: try row[1] as Int64)
            }
            return totals ?? (0, 0)
        }
    }

    package func unreferencedBlobs(
        in shard: UInt8, disregarding removal: Removal
    ) throws(PlatformError) -> [BlobRecord] {
        try transaction { try $0.unreferencedBlobs(in: shard, disregarding: removal, upTo: .max) }
    }

    package func forgetBlobs(
        in shard: UInt8, upTo count: Int,
        condemning: @Sendable (Set<SHA256Digest>) -> Set<SHA256Digest>
    ) throws(PlatformError) -> [BlobRecord] {
        try transaction { database in
            let free = try database.unreferencedBlobs(in: shard, disregarding: Removal(), upTo: count)
            // A transaction that refers to one of these later has claimed it since, and finds it missing or keeps it.
            let condemned = condemning(Set(free.map(\.digest)))
            let forgotten = free.filter { condemned.contains($0.digest) }
            try database.executeAll(forgotten.lazy.map { "DELETE FROM blobs WHERE digest = \($0.digest)" })
            if database.isShared { try database.beginRemovals(of: forgotten) }
            return forgotten
        }
    }
}

extension Database {
    /// Registers blobs; existing rows stay unchanged.
    ///
    /// Throws `busy` if another node may have removed one of them since this one stored it.
    func insert(_ blobs: [BlobRecord]) throws {
        if isShared, let since = TransactionFence.storedSince { try requireStored(blobs, since: since) }
        try executeAll(
            blobs.lazy.map { blob in
                "INSERT INTO blobs (digest, size) VALUES (\(blob.digest), \(blob.size)) ON CONFLICT DO NOTHING"
            })
    }

    fileprivate func beginRemovals(of blobs: [BlobRecord]) throws {
        try executeAll(
            blobs.lazy.map { blob in
                """
                INSERT INTO blob_removals (digest, begun_at) VALUES (\(blob.digest), \(SQLDialect.storeTime))
                ON CONFLICT (digest) DO UPDATE SET begun_at = excluded.begun_at, ended_at = NULL
                """
            })
    }

    /// Throws `busy` if a removal of one of the blobs may have happened since an instant of ``SQLDialect/storeTime``.
    private func requireStored(_ blobs: [BlobRecord], since: Timestamp) throws {
        let list = JSON.array(blobs.map { .string($0.digest.hex) })
        let removed: Int? = try value(
            """
            SELECT 1 FROM blob_removals
            WHERE digest IN (SELECT decode(value, 'hex') FROM json_array_elements_text(\(list)::json))
                AND coalesce(ended_at, begun_at + \(RemoteLimits.uncertainMilliseconds)) >= \(since)
            LIMIT 1
            """)
        let age: Int64? = try value("SELECT \(SQLDialect.storeTime) - \(since)")
        guard removed == nil, let age, age < RemoteLimits.rememberedRemovalMilliseconds else {
            throw PlatformError(
                .busy,
                "Another server removed a file of this version from the bucket meanwhile. Try again in a moment; if the "
                    + "removal had no response, in \(RemoteLimits.uncertainMilliseconds / 60_000) minutes.")
        }
    }

    fileprivate func unreferencedBlobs(
        in shard: UInt8, disregarding removal: Removal, upTo count: Int
    ) throws -> [BlobRecord] {
        let first = [shard] + Array(repeating: 0, count: 31)
        let last = [shard] + Array(repeating: UInt8.max, count: 31)
        let versions = JSON.array(removal.versions.map { .integer($0) })
        let artifacts = JSON.array(removal.artifacts.map { .integer($0) })
        let going: SQL = "IN \(dialect.integers(in: versions))"
        return try rows(
            """
            SELECT digest, size FROM blobs
            WHERE digest BETWEEN \(first) AND \(last)
                AND NOT EXISTS (SELECT 1 FROM files WHERE files.digest = blobs.digest AND NOT version \(going))
                AND NOT EXISTS (
                    SELECT 1 FROM files WHERE files.deflated_digest = blobs.digest AND NOT version \(going))
                AND NOT EXISTS (
                    SELECT 1 FROM artifacts WHERE artifacts.blob = blobs.digest AND NOT version \(going)
                        AND NOT coalesce(base \(going), FALSE)
                        AND NOT number IN \(dialect.integers(in: artifacts)))
            LIMIT \(count)
            """
        ) { row in BlobRecord(digest: try row[0], size: try row[1]) }
    }
}
