package import Domain
package import Ground

extension SQLStore {
    package func createToken(
        _ draft: TokenDraft, secretHash: SHA256Digest, audit: AuditEntry
    ) throws(PlatformError) -> Token {
        try transaction { database in
            try database.requireScope(draft.grant.scope)
            let token = try database.insert(draft, secretHash: secretHash, trust: nil, at: audit.time)
            try database.append(audit)
            return token
        }
    }

    package func tokens() throws(PlatformError) -> [Token] {
        try transaction { database in
            try database.rows("SELECT \(Token.columns) FROM tokens ORDER BY id") { try Token($0) }
        }
    }

    package func token(_ id: Int64) throws(PlatformError) -> Token? {
        try transaction { try $0.token(id) }
    }

    package func tokens(_ ids: [Int64]) throws(PlatformError) -> [Token] {
        try transaction { database in
            let numbers = database.dialect.integers(in: .array(ids.map { .integer($0) }))
            return try database.rows("SELECT \(Token.columns) FROM tokens WHERE id IN \(numbers)") { try Token($0) }
        }
    }

    package func token(secretHash: SHA256Digest) throws(PlatformError) -> FoundToken? {
        try transaction { database in
            let current = try database.row(
                "SELECT \(Token.columns) FROM tokens WHERE secret_hash = \(secretHash) AND revoked_at IS NULL"
            ) { FoundToken(token: try Token($0), secretEnd: nil) }
            if let current { return current }
            return try database.row(
                "SELECT \(Token.columns) FROM tokens WHERE previous_hash = \(secretHash) AND revoked_at IS NULL"
            ) { row in
                let token = try Token(row)
                return FoundToken(token: token, secretEnd: token.previousSecretExpiresAt)
            }
        }
    }

    package func changeToken(
        _ id: Int64, _ change: TokenChange, ifMatch precondition: IfMatchPrecondition?, audit: AuditEntry
    ) throws(PlatformError) -> Token? {
        try transaction { database in
            let token = try database.token(id)
            try precondition?.require(token.map { String($0.revision) }, of: "Token #\(id)", called: "revision")
            guard let token else { return nil }
            guard token.revokedAt == nil else {
                throw PlatformError(.conflict, "Token #\(id) is revoked, which is final. Create another token.")
            }
            let trust: String? = try database.value("SELECT trust FROM tokens WHERE id = \(id) AND trust IS NOT NULL")
            if let trust {
                throw PlatformError(
                    .conflict,
                    "Token #\(id) is that of a CI job, whose trust '\(trust)' decides on it. It can only be revoked.")
            }
            let expiry: Timestamp? = if let expiry = change.expiresAt { expiry } else { token.expiresAt }
            try database.execute(
                """
                UPDATE tokens SET name = \(change.name ?? token.name), expires_at = \(expiry), revision = revision + 1
                WHERE id = \(id)
                \(database.announcement)
                """)
            if let secret = change.secret {
                let isOverlapping = secret.previousUntil > audit.time
                let (former, end): (SQL, SQL) =
                    isOverlapping ? ("secret_hash", "\(secret.previousUntil)") : ("NULL", "NULL")
                try database.execute(
                    """
                    UPDATE tokens SET previous_hash = \(former), previous_until = \(end), secret_hash = \(secret.hash)
                    WHERE id = \(id)
                    """)
            }
            if token.isLastingAdmin { try database.requireLastingAdmin() }
            try database.append(audit)
            return try database.requireToken(id)
        }
    }

    package func revokeToken(
        _ id: Int64, ifMatch precondition: IfMatchPrecondition?, audit: AuditEntry
    ) throws(PlatformError) -> Token? {
        try transaction { database in
            let former = try database.token(id)
            try precondition?.require(former.map { String($0.revision) }, of: "Token #\(id)", called: "revision")
            let revoked = try database.execute(
                """
                UPDATE tokens SET revoked_at = \(audit.time), revision = revision + 1
                WHERE id = \(id) AND revoked_at IS NULL
                \(database.announcement)
                """)
            guard revoked == 1 else { return former }
            if former?.isLastingAdmin ?? false { try database.requireLastingAdmin() }
            try database.append(audit)
            return try database.requireToken(id)
        }
    }

    package func recordUses(_ uses: [Int64: Timestamp]) throws(PlatformError) {
        try transaction { database in
            for (id, time) in uses.sorted(by: { $0.key < $1.key }) {
                try database.execute(
                    """
                    UPDATE tokens SET last_used_at = \(time) WHERE id = \(id)
                        AND (last_used_at IS NULL OR last_used_at <= \(time.adding(milliseconds: -Token.useInterval)))
                    """)
            }
        }
    }
}

extension Database {
    /// Throws `appNotFound` or `channelNotFound` if the scope does not exist.
    func requireScope(_ scope: Scope) throws {
        guard let app = scope.app else { return }
        let hasApp: Int? = try value("SELECT 1 FROM apps WHERE id = \(app)")
        guard hasApp != nil else { throw PlatformError.noApp(app) }
        guard let channel = scope.channel else { return }
        let hasChannel: Int? = try value("SELECT 1 FROM channels WHERE app = \(app) AND name = \(channel)")
        guard hasChannel != nil else {
            throw PlatformError(
                .channelNotFound, "The app '\(app)' has no channel '\(channel)'. Declare it first:",
                remedy: .declareChannel(channel, of: app))
        }
    }

    /// Inserts a token, whose scope exists.
    ///
    /// - Parameter trust: The CI trust by which a job gets the token; `nil` if an operator makes it.
    func insert(
        _ draft: TokenDraft, secretHash: SHA256Digest, trust: CITrustName?, at now: Timestamp
    ) throws -> Token {
        let (grant, scope) = (draft.grant, draft.grant.scope)
        let id = try inserted(
            """
            INSERT INTO tokens (name, role, app, channel, owner, secret_hash, created_at, expires_at, trust)
            VALUES (
                \(draft.name), \(grant.role), \(scope.app), \(scope.channel), \(draft.owner), \(secretHash),
                \(now), \(draft.expiresAt), \(trust)
            ) RETURNING id
            """)
        return try requireToken(id)
    }

    /// Throws `conflict` unless an admin of everything remains who does not expire and needs no sign-in provider.
    func requireLastingAdmin() throws {
        let admins: Int? = try value(
            """
            SELECT (SELECT count(*) FROM tokens
                WHERE role = \(Role.admin) AND app IS NULL AND revoked_at IS NULL AND expires_at IS NULL)
            + (SELECT count(*) FROM user_grants JOIN users ON id = user_id
                WHERE role = \(Role.admin) AND app IS NULL AND disabled = 0
                    AND id NOT IN (SELECT user_id FROM user_identities))
            """)
        guard admins == 0 else { return }
        throw PlatformError(
            .conflict,
            "This is the last admin of everything without an expiry, and only admins can create tokens and users. Create "
                + "another admin first.")
    }

    func token(_ id: Int64) throws -> Token? {
        try row("SELECT \(Token.columns) FROM tokens WHERE id = \(id)") { try Token($0) }
    }

    fileprivate func requireToken(_ id: Int64) throws -> Token {
        guard let token = try token(id) else {
            throw DatabaseError.unmet("token \(id) is missing", statement: "tokens")
        }
        return token
    }
}

extension Grant {
    /// The rights of an admin of everything.
    static let admin = Grant(.admin, on: .everything)
}

extension Token {
    fileprivate static let columns: SQL = """
        id, name, role, app, channel, owner, created_at, expires_at, last_used_at, revoked_at, previous_until, revision
        """

    /// Whether the token alone lets operators create tokens of all kinds forever.
    fileprivate var isLastingAdmin: Bool { grant == .admin && expiresAt == nil && revokedAt == nil }

    fileprivate init(_ row: borrowing Row) throws {
        guard let scope = Scope(app: try row[3], channel: try row[4]) else {
            throw DatabaseError.unreadable("tokens", statement: "tokens")
        }
        self.init(
            id: try row[0], name: try row[1], role: try row[2], on: scope, owner: try row[5], createdAt: try row[6],
            expiresAt: try row[7], lastUsedAt: try row[8], revokedAt: try row[9], previousSecretExpiresAt: try row[10],
            revision: try row[11])
    }
}
