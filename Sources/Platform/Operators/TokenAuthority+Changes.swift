package import Domain
package import Ground

/// The creation and change of tokens by admins of their scope.
extension TokenAuthority {
    /// A token with its new secret, which is not stored.
    package typealias Made = (token: Token, secret: String)

    /// Creates a token and returns its secret; see ``register(_:name:role:on:expiresAt:by:)``.
    package func create(
        name: String, role: Role, on scope: Scope = .everything, expiresAt: Timestamp? = nil, by author: Operator
    ) async throws(PlatformError) -> Made {
        let secret = makeSecret()
        let token = try await register(
            secret, name: name, role: role, on: scope, expiresAt: expiresAt, by: author)
        return (token, secret)
    }

    /// Returns a new secret, which is invalid until it is registered.
    package func makeSecret() -> String {
        "larder_" + Hex.encode(cryptography.randomBytes(32))
    }

    /// Registers a secret of ``makeSecret()`` with a role.
    ///
    /// Throws `forbidden` unless the author is an admin of the scope, so that nobody gives rights that they lack,
    /// `invalidRequest` for a wrong name or an expiry that has passed, and `appNotFound` or `channelNotFound` for a scope
    /// that does not exist.
    package func register(
        _ secret: String, name: String, role: Role, on scope: Scope = .everything, expiresAt: Timestamp? = nil,
        by author: Operator
    ) async throws(PlatformError) -> Token {
        try author.require(.admin, on: scope)
        let name = try Self.checked(name)
        try requireAhead(expiresAt)
        try Self.require(expiresAt, within: author)
        let grant = Grant(role, on: scope)
        let draft = TokenDraft(name: name, grant: grant, owner: author.name, expiresAt: expiresAt)
        let audit = author.audit(
            .createToken, name, in: nil, at: clock.now(),
            grant.members + (expiresAt.map { [.init("expiresAt", .string($0.rfc3339))] } ?? []),
            change: .created(draft.auditMembers))
        return try await store.createToken(draft, secretHash: hash(secret), audit: audit)
    }

    /// Creates the token of a CI job, which the trust gives its rights.
    ///
    /// - Parameters:
    ///   - subject: The subject of the job's identity token.
    ///   - address: The address of the job.
    func exchange(
        by trust: CITrust, subject: String, address: String
    ) async throws(PlatformError) -> Made {
        let (secret, now) = (makeSecret(), clock.now())
        let draft = TokenDraft(
            name: "\(trust.name) \(subject)", grant: trust.grant, owner: "CI trust \(trust.name)",
            expiresAt: now.adding(milliseconds: trust.lifetimeSeconds * 1_000))
        let audit = Operator.server.audit(
            .exchangeToken, draft.name, in: nil, at: now,
            [
                .init("trust", .string(trust.name.text)), .init("issuer", .string(trust.issuer)),
                .init("subject", .string(subject)), .init("address", .string(address)),
            ], change: .created(draft.auditMembers))
        return (try await store.createToken(draft, secretHash: hash(secret), by: trust, audit: audit), secret)
    }

    /// Returns the tokens of which the author is an admin.
    package func tokens(for author: Operator = .server) async throws(PlatformError) -> [Token] {
        try await store.tokens().filter { author.has(.admin, on: $0.grant.scope) }
    }

    /// Returns a token; throws `tokenNotFound` also for one of which the author is no admin.
    package func requireToken(_ id: Int64, for author: Operator) async throws(PlatformError) -> Token {
        guard let token = try await store.token(id), author.has(.admin, on: token.grant.scope) else {
            throw Self.noToken(id)
        }
        return token
    }

    /// Changes the name or the expiry of a token.
    ///
    /// Throws `tokenNotFound`, `invalidRequest` for a wrong name or an expiry that has passed, `preconditionFailed`, and
    /// `conflict` if the token is revoked or if no admin without an expiry would remain.
    ///
    /// - Parameter expiresAt: The expiry, or `.some(nil)` for none.
    package func change(
        _ id: Int64, name: String?, expiresAt: Timestamp??, ifMatch precondition: IfMatchPrecondition?,
        by author: Operator
    ) async throws(PlatformError) -> Token {
        let name = try name.map { (name) throws(PlatformError) in try Self.checked(name) }
        if let expiresAt {
            try requireAhead(expiresAt)
            try Self.require(expiresAt, within: author)
        }
        let details =
            (name.map { [JSON.Member("name", .string($0))] } ?? [])
            + (expiresAt.map { [.init("expiresAt", $0.map { .string($0.rfc3339) } ?? .null)] } ?? [])
        return try await change(
            id, TokenChange(name: name, expiresAt: expiresAt), ifMatch: precondition, as: .changeToken, details,
            by: author)
    }

    /// Gives a token a new secret; the current one stays valid for a while, and the one before it ends at once.
    ///
    /// Throws the errors of ``change(_:name:expiresAt:ifMatch:by:)``.
    package func rotate(
        _ id: Int64, overlapSeconds: Int64, ifMatch precondition: IfMatchPrecondition?, by author: Operator
    ) async throws(PlatformError) -> Made {
        try Self.require(try await requireToken(id, for: author).expiresAt, within: author)
        let secret = makeSecret()
        let until = clock.now().adding(milliseconds: overlapSeconds * 1000)
        let token = try await change(
            id, TokenChange(secret: (hash(secret), until)), ifMatch: precondition, as: .rotateToken,
            [.init("overlapSeconds", .integer(overlapSeconds))], by: author)
        return (token, secret)
    }

    /// Revokes a token permanently, from the next request on.
    package func revoke(
        _ id: Int64, ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> Token {
        let known = try await requireToken(id, for: author)
        let now = clock.now()
        let audit = author.audit(
            .revokeToken, "#\(id)", in: nil, at: now,
            change: .changed(from: known.auditMembers(), to: known.auditMembers(revokedAt: now)))
        return try await ending { () throws(PlatformError) in
            guard let token = try await store.revokeToken(id, ifMatch: precondition, audit: audit) else {
                throw Self.noToken(id)
            }
            return token
        }
    }

    private func change(
        _ id: Int64, _ change: TokenChange, ifMatch precondition: IfMatchPrecondition?, as action: AuditAction,
        _ details: [JSON.Member], by author: Operator
    ) async throws(PlatformError) -> Token {
        let known = try await requireToken(id, for: author)
        let audit = author.audit(
            action, "#\(id)", in: nil, at: clock.now(), details,
            change: .changed(from: known.auditMembers(), to: known.auditMembers(after: change)))
        return try await ending { () throws(PlatformError) in
            guard let token = try await store.changeToken(id, change, ifMatch: precondition, audit: audit) else {
                throw Self.noToken(id)
            }
            return token
        }
    }

    /// Makes a change that may end tokens, and forgets the cached tokens if it may be committed.
    func ending<Result>(
        _ body: () async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        do throws(PlatformError) {
            let result = try await body()
            forgetTokens()
            return result
        } catch {
            if error.mayHaveCommitted { forgetTokens() }
            throw error
        }
    }

    private func hash(_ secret: String) -> SHA256Digest { cryptography.sha256(Array(secret.utf8)) }

    private func requireAhead(_ expiry: Timestamp?) throws(PlatformError) {
        guard let expiry, expiry <= clock.now() else { return }
        throw PlatformError(
            .invalidRequest,
            "'expiresAt' is \(expiry.rfc3339), which has passed. Give a later time, or revoke the token to end it now.")
    }

    /// Throws `forbidden` if a token would outlast the secret of the token by which it is made or changed.
    private static func require(_ expiry: Timestamp?, within author: Operator) throws(PlatformError) {
        guard case .token = author.principal, let end = author.end, expiry.map({ $0 > end }) ?? true else { return }
        throw PlatformError(
            .forbidden,
            "The secret of this request ends at \(end.rfc3339), and no token that it makes or changes may last longer. Give an "
                + "earlier 'expiresAt', or use another token.")
    }

    private static func checked(_ name: String) throws(PlatformError) -> String {
        // Filtered by scalars: as a `Character`, CR LF equals neither.
        let removed: Set<Unicode.Scalar> = ["\n", "\r", "\0"]
        let name = String(String.UnicodeScalarView(name.unicodeScalars.filter { !removed.contains($0) }))
        guard !name.isEmpty, name.utf8.count <= Token.maximumNameLength else {
            throw PlatformError(
                .invalidRequest, "A token requires a name of 1 to \(Token.maximumNameLength) bytes that identifies it.")
        }
        return name
    }

    private static func noToken(_ id: Int64) -> PlatformError {
        PlatformError(.tokenNotFound, "There is no token #\(id).")
    }
}
