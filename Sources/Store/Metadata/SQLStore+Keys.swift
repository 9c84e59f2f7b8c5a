package import Domain

extension SQLStore {
    package func keys(of app: AppID) throws(PlatformError) -> [AppKey] {
        try transaction { try $0.keysInUse(of: app, by: sealer) }
    }

    package func keyFacts(of app: AppID, retired: Int, changes: Int) throws(PlatformError) -> KeyFacts? {
        try transaction { database in
            let inUse = try database.keysInUse(of: app, by: sealer)
            guard let root = inUse.first(where: { $0.purpose == .root }) else { return nil }
            return KeyFacts(
                root: root, signing: inUse.filter { $0.purpose == .signing },
                retired: try database.retiredKeys(.signing, of: app, last: retired, by: sealer),
                rootChanges: try database.rootChanges(of: app, last: changes))
        }
    }

    package func retiredKeys(
        _ purpose: KeyPurpose, of app: AppID, last count: Int
    ) throws(PlatformError) -> [AppKey] {
        try transaction { try $0.retiredKeys(purpose, of: app, last: count, by: sealer) }
    }

    package func addKey(
        _ key: AppKey, signing artifacts: [SignedArtifact] = [], audit: AuditEntry
    ) throws(PlatformError) {
        try transaction { database in
            try database.requireApp(key.app)
            let known = try database.keys(where: "app = \(key.app) AND id = \(key.id)", by: sealer).first
            if let known, known.purpose != key.purpose || key.purpose != .legacy {
                throw Self.isKnown(known, notFor: key.purpose)
            }
            try database.insert(key, by: sealer)
            for artifact in artifacts { try database.insert(artifact, unlessThere: true) }
            try database.append(.keysChanged, of: key.app, at: audit.time)
            try database.change(key.app, at: audit.time, audit: audit)
        }
    }

    private static func isKnown(_ key: AppKey, notFor purpose: KeyPurpose) -> PlatformError {
        guard key.purpose == purpose else { return .keyHasPurpose(key) }
        let why = key.retiredAt.map { "was retired at \($0), so devices no longer trust it" } ?? "is in use already"
        return PlatformError(.conflict, "The key \(key.id) \(why). Use another key.")
    }

    package func retireKey(_ id: KeyID, of app: AppID, audit: AuditEntry) throws(PlatformError) -> AppKey? {
        try transaction { database in
            let own: SQL = "app = \(app) AND id = \(id)"
            guard let key = try database.keys(where: own, by: sealer).first else { return nil }
            guard key.purpose != .root else {
                throw PlatformError(
                    .conflict,
                    "The key \(id) is the root key, which cannot be retired. Generate another one to replace it.")
            }
            guard key.retiredAt == nil else { return key }
            // No client trusts a signing key yet that was created by a clock that was ahead.
            let others: Int? = try database.value(
                """
                SELECT 1 FROM keys
                WHERE app = \(app) AND purpose = \(key.purpose) AND retired_at IS NULL AND id <> \(id)
                    AND (purpose <> \(KeyPurpose.signing) OR created_at <= \(audit.time))
                """)
            guard others != nil else {
                throw PlatformError(
                    .conflict,
                    "The key \(id) is the only \(key.purpose.rawValue) key of '\(app)' that is valid now. Make or import "
                        + "another one first.")
            }
            try database.execute("UPDATE keys SET retired_at = \(audit.time) WHERE \(own)")
            if key.purpose == .signing {
                try database.execute("UPDATE keys SET private_key = NULL, sealed = 0 WHERE \(own)")
            }
            try database.append(.keysChanged, of: app, at: audit.time)
            try database.change(app, at: audit.time, audit: audit)
            return try database.keys(where: own, by: sealer).first
        }
    }

    package func keyDocument(of app: AppID) throws(PlatformError) -> SignedKeyDocument? {
        try transaction { database in
            try database.row(
                """
                SELECT number, issued_at, expires_at, document, key_id, signature FROM key_documents
                WHERE app = \(app)
                """
            ) { row in
                SignedKeyDocument(
                    number: try row[0], issuedAt: try row[1], expiresAt: try row[2], document: try row[3],
                    keyID: try row[4], signature: try row[5])
            }
        }
    }

    /// Saves a key document; throws `conflict` if its number is not the highest or its root key is retired.
    package func saveKeyDocument(_ document: SignedKeyDocument, of app: AppID) throws(PlatformError) {
        try transaction { database in
            try database.requireApp(app)
            let last: Int64? = try database.value("SELECT number FROM key_documents WHERE app = \(app)")
            if let last, document.number <= last {
                throw PlatformError(.conflict, "Key document \(last) was made meanwhile. Repeat the request.")
            }
            let isInUse: Int? = try database.value(
                "SELECT 1 FROM keys WHERE app = \(app) AND id = \(document.keyID) AND retired_at IS NULL")
            guard isInUse != nil else {
                throw PlatformError(.conflict, "The root key of '\(app)' has changed meanwhile. Repeat the request.")
            }
            try database.execute(
                """
                INSERT INTO key_documents (app, number, issued_at, expires_at, document, key_id, signature)
                VALUES (
                    \(app), \(document.number), \(document.issuedAt), \(document.expiresAt), \(document.document),
                    \(document.keyID), \(document.signature)
                ) ON CONFLICT (app) DO UPDATE SET
                    number = excluded.number, issued_at = excluded.issued_at, expires_at = excluded.expires_at,
                    document = excluded.document, key_id = excluded.key_id, signature = excluded.signature
                """)
        }
    }
}

extension Database {
    fileprivate func keysInUse(of app: AppID, by sealer: (any KeySealer)?) throws -> [AppKey] {
        try keys(where: "app = \(app) AND retired_at IS NULL ORDER BY number", by: sealer)
    }

    fileprivate func retiredKeys(
        _ purpose: KeyPurpose, of app: AppID, last count: Int, by sealer: (any KeySealer)?
    ) throws -> [AppKey] {
        try keys(
            where: """
                app = \(app) AND purpose = \(purpose) AND retired_at IS NOT NULL
                ORDER BY retired_at DESC, number DESC LIMIT \(max(0, count))
                """, by: sealer)
    }

    fileprivate func keys(where condition: SQL, by sealer: (any KeySealer)?) throws -> [AppKey] {
        try rows(
            """
            SELECT app, purpose, id, public_key, private_key, created_at, retired_at, sealed FROM keys
            WHERE \(condition)
            """
        ) { row in
            let half = try KeptHalf(app: row[0], purpose: row[1], id: row[2], bytes: row[4], isSealed: row[7])
            return AppKey(
                app: half.app, purpose: half.purpose, id: half.id, publicKey: try row[3],
                privateKey: try half.opened(by: sealer), createdAt: try row[5], retiredAt: try row[6])
        }
    }

    /// Adds a key, or restores a retired one at its old position; an existing private key stays.
    ///
    /// Throws `conflict` if the key has another purpose already.
    func insert(_ key: AppKey, by sealer: (any KeySealer)?) throws {
        let half = try KeptHalf(key, by: sealer)
        let written = try execute(
            """
            INSERT INTO keys (app, id, purpose, public_key, private_key, sealed, outside, created_at)
            VALUES (
                \(key.app), \(key.id), \(key.purpose), \(key.publicKey), \(half.bytes), \(half.isSealed),
                \(key.purpose == .signing && key.privateKey == nil),
                \(key.createdAt)
            ) ON CONFLICT (app, id) DO UPDATE SET
                private_key = coalesce(excluded.private_key, keys.private_key),
                sealed = CASE WHEN excluded.private_key IS NULL THEN keys.sealed ELSE excluded.sealed END,
                retired_at = NULL
            WHERE keys.purpose = excluded.purpose
            """)
        guard written == 1 else { throw PlatformError.keyHasPurpose(key) }
    }
}

extension PlatformError {
    /// - Parameter key: A key whose id the app uses for another purpose.
    fileprivate static func keyHasPurpose(_ key: AppKey) -> PlatformError {
        PlatformError(.conflict, "\(key.app) has the key \(key.id) for another purpose.")
    }
}
