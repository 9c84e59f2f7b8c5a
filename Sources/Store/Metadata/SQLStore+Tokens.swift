package import Domain

extension SQLStore {
    package func createToken(
        name: String, role: Role, secretHash: SHA256Digest, audit: AuditEntry
    ) throws(PlatformError) -> Token {
        try transaction { database in
            let id = try database.inserted(
                """
                INSERT INTO tokens (name, role, secret_hash, created_at)
                VALUES (\(name), \(role), \(secretHash), \(audit.time)) RETURNING id
                """)
            try database.append(audit)
            return Token(id: id, name: name, role: role, createdAt: audit.time, revokedAt: nil)
        }
    }

    package func tokens() throws(PlatformError) -> [Token] {
        try transaction { database in
            try database.rows("SELECT \(Token.columns) FROM tokens ORDER BY id") { try Token($0) }
        }
    }

    package func token(secretHash: SHA256Digest) throws(PlatformError) -> Token? {
        try transaction { database in
            try database.row(
                """
                SELECT \(Token.columns) FROM tokens
                WHERE secret_hash = \(secretHash) AND revoked_at IS NULL
                """
            ) { try Token($0) }
        }
    }

    package func revokeToken(_ id: Int64, audit: AuditEntry) throws(PlatformError) -> Token? {
        try transaction { database in
            let revoked = try database.execute(
                """
                UPDATE tokens SET revoked_at = \(audit.time) WHERE id = \(id) AND revoked_at IS NULL
                \(database.announcement)
                """)
            let token = try database.row("SELECT \(Token.columns) FROM tokens WHERE id = \(id)") { try Token($0) }
            guard revoked == 1, let token else { return token }
            if token.role == .admin { try Self.requireAdmin(in: database) }
            try database.append(audit)
            return token
        }
    }

    private static func requireAdmin(in database: Database) throws {
        let role = Role.admin.rawValue
        let admins: Int? = try database.value(
            "SELECT count(*) FROM tokens WHERE role = \(role) AND revoked_at IS NULL")
        guard admins == 0 else { return }
        throw PlatformError(
            .conflict,
            "This is the last admin token, and only admins can create tokens. Create another admin token first.")
    }
}

extension Token {
    fileprivate static let columns: SQL = "id, name, role, created_at, revoked_at"

    fileprivate init(_ row: borrowing Row) throws {
        self.init(id: try row[0], name: try row[1], role: try row[2], createdAt: try row[3], revokedAt: try row[4])
    }
}
