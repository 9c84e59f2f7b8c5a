import Domain
import Glibc
import Ground

extension Database {
    /// Moves the write-ahead log into the database file, which then holds everything.
    ///
    /// Throws if the disk is full. Closing the last connection has the same effect, but reports no failure.
    func checkpoint() throws {
        let isBusy: Bool? = try value("PRAGMA wal_checkpoint(TRUNCATE)")
        guard isBusy == false else {
            throw DatabaseError.unmet("another program reads the database", statement: "PRAGMA wal_checkpoint")
        }
    }

    /// Throws `storageFailed` if a closed database has a write-ahead log with changes.
    static func requireEmptyLog(_ path: String) throws(PlatformError) {
        var status = stat()
        guard stat("\(path)-wal", &status) == 0, status.st_size > 0 else { return }
        throw PlatformError(
            .storageFailed,
            "\(path)-wal contains changes that are missing from \(path). Check that no other program has the file open and "
                + "that its disk has room, and run the command again.")
    }

    var epoch: String? {
        get throws { try value("SELECT epoch FROM meta") }
    }

    func blobRecords() throws -> [BlobRecord] {
        try rows("SELECT digest, size FROM blobs ORDER BY digest") { row in
            BlobRecord(digest: try row[0], size: try row[1])
        }
    }

    /// Returns the blobs that the metadata still refer to.
    func known(_ records: [BlobRecord]) throws -> [BlobRecord] {
        try records.filter { record in
            let row: Int? = try value("SELECT 1 FROM blobs WHERE digest = \(record.digest)")
            return row != nil
        }
    }

    /// Returns the time of the newest audit entry, or `nil` if the log is empty.
    ///
    /// Newer changes are not in this database.
    func lastAuditTime() throws -> Timestamp? {
        try row("SELECT max(time) FROM audit") { row in try row[0] as Timestamp? } ?? nil
    }

    /// Returns the keys in use as texts of app, purpose and id.
    func keysInUse() throws -> Set<String> {
        Set(
            try rows("SELECT app, purpose, id FROM keys WHERE retired_at IS NULL") { row in
                "\(try row[0] as String) \(try row[1] as String) \(try row[2] as String)"
            })
    }

    /// Returns the retired keys as the texts of ``keysInUse()``, with the time of their retirement.
    func retiredKeys() throws -> [String: Timestamp] {
        let keys = try rows("SELECT app, purpose, id, retired_at FROM keys WHERE retired_at IS NOT NULL") { row in
            ("\(try row[0] as String) \(try row[1] as String) \(try row[2] as String)", try row[3] as Timestamp)
        }
        return Dictionary(keys) { first, _ in first }
    }

    /// Returns the ids of the operators' valid tokens with their names.
    func validTokens() throws -> [Int64: String] {
        try tokens(where: "revoked_at IS NULL")
    }

    func revokedTokens() throws -> [Int64: String] {
        try tokens(where: "revoked_at IS NOT NULL")
    }

    private func tokens(where condition: SQL) throws -> [Int64: String] {
        let tokens = try rows("SELECT id, name FROM tokens WHERE \(condition)") { row in
            (try row[0] as Int64, try row[1] as String)
        }
        return Dictionary(tokens) { first, _ in first }
    }

    /// Returns the number of private keys, endpoints of webhooks and second factors that are stored without encryption.
    func unsealedKeys() throws -> Int {
        let columns: [String] = try values("SELECT name FROM pragma_table_info('keys')")
        let isSealed: SQL = columns.contains("sealed") ? "sealed = 1" : "FALSE"
        let keys: Int = try value("SELECT count(*) FROM keys WHERE private_key IS NOT NULL AND NOT \(isSealed)") ?? 0
        let hasWebhooks: Int? = try value("SELECT 1 FROM sqlite_schema WHERE name = 'webhooks'")
        guard hasWebhooks != nil else { return keys }
        let endpoints: Int = try value("SELECT count(*) FROM webhooks WHERE sealed = 0") ?? 0
        let hasUsers: Int? = try value("SELECT 1 FROM sqlite_schema WHERE name = 'users'")
        guard hasUsers != nil else { return keys + endpoints }
        return keys + endpoints + (try value("SELECT count(*) FROM users WHERE factor IS NOT NULL AND sealed = 0") ?? 0)
    }
}
