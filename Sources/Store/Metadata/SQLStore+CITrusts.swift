package import Domain
import Ground

extension SQLStore {
    package func ciTrusts() throws(PlatformError) -> [CITrust] {
        try transaction { database in
            try database.rows("SELECT \(CITrust.columns) FROM ci_trusts ORDER BY name") { try CITrust($0) }
        }
    }

    package func ciTrust(_ name: CITrustName) throws(PlatformError) -> CITrust? {
        try transaction { try $0.ciTrust(name) }
    }

    package func putCITrust(_ trust: CITrust, over known: CITrust?, audit: AuditEntry) throws(PlatformError) {
        try transaction { database in
            try database.require(known, storedAs: trust.name)
            if known == trust { return }
            try database.requireScope(trust.grant.scope)
            let count: Int = try database.value("SELECT count(*) FROM ci_trusts") ?? 0
            guard known != nil || count < CITrust.maximumCount else {
                throw PlatformError(
                    .conflict, "There are \(count) CI trusts, which is the limit. Delete one that is no longer needed.")
            }
            try database.execute(
                """
                INSERT INTO ci_trusts (name, issuer, audience, claims, role, app, channel, lifetime_seconds)
                VALUES (
                    \(trust.name), \(trust.issuer), \(trust.audience), \(trust.claimsJSON), \(trust.grant.role),
                    \(trust.grant.scope.app), \(trust.grant.scope.channel), \(trust.lifetimeSeconds)
                )
                ON CONFLICT (name) DO UPDATE SET
                    issuer = excluded.issuer, audience = excluded.audience, claims = excluded.claims,
                    role = excluded.role, app = excluded.app, channel = excluded.channel,
                    lifetime_seconds = excluded.lifetime_seconds
                """)
            if known != nil { try database.revokeTokens(of: trust.name, at: audit.time) }
            try database.append(audit)
        }
    }

    package func removeCITrust(_ known: CITrust, audit: AuditEntry) throws(PlatformError) {
        try transaction { database in
            try database.require(known, storedAs: known.name)
            try database.execute("DELETE FROM ci_trusts WHERE name = \(known.name)")
            try database.revokeTokens(of: known.name, at: audit.time)
            try database.append(audit)
        }
    }

    package func createToken(
        _ draft: TokenDraft, secretHash: SHA256Digest, by trust: CITrust, audit: AuditEntry
    ) throws(PlatformError) -> Token {
        try transaction { database in
            guard try database.ciTrust(trust.name) == trust else {
                throw PlatformError(.unauthorized, "The CI trust '\(trust.name)' has changed. Try again.")
            }
            let oldest = audit.time.adding(milliseconds: -CITrust.memoryMilliseconds)
            try database.execute("DELETE FROM tokens WHERE trust IS NOT NULL AND expires_at < \(oldest)")
            try database.requireRoom(for: trust, at: audit.time)
            let token = try database.insert(draft, secretHash: secretHash, trust: trust.name, at: audit.time)
            try database.append(audit)
            return token
        }
    }
}

extension Database {
    fileprivate func ciTrust(_ name: CITrustName) throws -> CITrust? {
        try row("SELECT \(CITrust.columns) FROM ci_trusts WHERE name = \(name)") { try CITrust($0) }
    }

    fileprivate func require(_ known: CITrust?, storedAs name: CITrustName) throws {
        guard try ciTrust(name) == known else {
            throw PlatformError(
                .busy, "The CI trust '\(name)' is being changed. Read it again, and repeat the request.")
        }
    }

    /// Throws `rateLimited` if too many tokens of a trust are valid.
    fileprivate func requireRoom(for trust: CITrust, at now: Timestamp) throws {
        let count: Int =
            try value(
                """
                SELECT count(*) FROM tokens
                WHERE trust = \(trust.name) AND revoked_at IS NULL AND expires_at > \(now)
                """) ?? 0
        guard count >= CITrust.maximumTokens else { return }
        throw PlatformError(
            .rateLimited,
            "\(count) tokens of the CI trust '\(trust.name)' are valid, which is the limit. Use one token in a job, or try "
                + "again when some have expired.", retryAfter: Int(trust.lifetimeSeconds))
    }

    fileprivate func revokeTokens(of name: CITrustName, at now: Timestamp) throws {
        try execute(
            """
            UPDATE tokens SET revoked_at = \(now), revision = revision + 1
            WHERE trust = \(name) AND revoked_at IS NULL
            \(announcement)
            """)
    }
}

extension CITrust {
    fileprivate static let columns: SQL = "name, issuer, audience, claims, role, app, channel, lifetime_seconds"

    fileprivate var claimsJSON: JSON { .object(conditions.map { .init($0.claim, .string($0.pattern)) }) }

    fileprivate init(_ row: borrowing Row) throws {
        let claims: JSON = try row[3]
        let conditions = claims.members?.compactMap { member in
            member.value.string.flatMap { ClaimCondition(claim: member.key, pattern: $0) }
        }
        guard let conditions, !conditions.isEmpty, conditions.count == claims.members?.count,
            let scope = Scope(app: try row[5], channel: try row[6])
        else { throw DatabaseError.unreadable("ci_trusts", statement: "ci_trusts") }
        self.init(
            name: try row[0], issuer: try row[1], audience: try row[2], conditions: conditions,
            grant: Grant(try row[4], on: scope), lifetimeSeconds: try row[7])
    }
}
