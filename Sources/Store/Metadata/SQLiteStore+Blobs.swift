package import Domain

extension SQLiteStore {
    package func blobs() throws(PlatformError) -> Set<SHA256Digest> {
        Set(try transaction { try $0.values("SELECT digest FROM blobs") as [SHA256Digest] })
    }
}

extension Database {
    /// Makes blobs known; those that are stay as they are.
    func insert(_ blobs: [BlobRecord]) throws {
        for blob in blobs {
            try execute(
                "INSERT INTO blobs (digest, size) VALUES (\(blob.digest), \(blob.size)) ON CONFLICT DO NOTHING")
        }
    }
}
