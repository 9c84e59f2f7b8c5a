package import Domain

extension SQLStore {
    package func changeRoot(
        to key: AppKey, saying change: RootChange, audit: AuditEntry
    ) throws(PlatformError) {
        try transaction { database in
            try database.requireApp(key.app)
            let inUse: SQL = "app = \(key.app) AND purpose = \(KeyPurpose.root) AND retired_at IS NULL"
            let old = try database.row("SELECT id, public_key FROM keys WHERE \(inUse)") { row in
                (id: try row[0] as KeyID, publicKey: try row[1] as [UInt8])
            }
            let last: Int64? = try database.value(
                "SELECT number FROM root_changes WHERE app = \(key.app) ORDER BY number DESC LIMIT 1")
            guard let old, old.publicKey == change.publicKey, change.number == (last ?? 0) + 1 else {
                throw PlatformError(
                    .conflict, "The root key of '\(key.app)' has changed meanwhile. Repeat the request.")
            }
            try database.execute(
                """
                UPDATE keys SET retired_at = \(audit.time), private_key = NULL, sealed = 0 WHERE \(inUse)
                """)
            try database.insert(key, by: sealer)
            try database.execute(
                """
                INSERT INTO root_changes (app, number, old_key, new_key, signature)
                VALUES (\(key.app), \(change.number), \(old.id), \(key.id), \(change.signature))
                """)
            try database.append(.keysChanged, of: key.app, at: audit.time)
            try database.change(key.app, at: audit.time, audit: audit)
        }
    }

    package func rootChanges(of app: AppID, last count: Int) throws(PlatformError) -> [RootChange] {
        try transaction { try $0.rootChanges(of: app, last: count) }
    }
}

extension Database {
    func rootChanges(of app: AppID, last count: Int) throws -> [RootChange] {
        try rows(
            """
            SELECT root_changes.number, old.public_key, new.public_key, signature FROM root_changes
            JOIN keys AS old ON old.app = root_changes.app AND old.id = old_key
            JOIN keys AS new ON new.app = root_changes.app AND new.id = new_key
            WHERE root_changes.app = \(app) ORDER BY root_changes.number DESC LIMIT \(max(0, count))
            """
        ) { row in
            RootChange(app: app, number: try row[0], publicKey: try row[1], next: try row[2], signature: try row[3])
        }.reversed()
    }
}
