package import Domain
package import Ground

extension SQLStore {
    package func signInProviders() throws(PlatformError) -> [StoredSignInProvider] {
        try transaction { try $0.signInProviders(where: "TRUE", by: sealer) }
    }

    package func signInProvider(_ name: SignInProviderName) throws(PlatformError) -> StoredSignInProvider? {
        try transaction { try $0.signInProvider(name, by: sealer) }
    }

    package func putSignInProvider(
        _ provider: SignInProvider, _ secret: ClientSecret, over known: StoredSignInProvider?, audit: AuditEntry
    ) throws(PlatformError) -> (stored: StoredSignInProvider, users: [UserID]) {
        try transaction { database in
            try database.require(known, storedAs: provider.name, by: sealer)
            if let known, known.provider == provider, known.secret == secret { return (known, []) }
            try database.requireFree(provider, isNew: known == nil)
            let kept = try KeptClientSecret(
                secret, of: provider.name, issuer: provider.issuer, clientID: provider.clientID, by: sealer)
            let revision = (known?.revision ?? 0) + 1
            try database.execute(
                """
                INSERT INTO sign_in_providers (
                    name, issuer, label, client_id, secret, sealed, scopes, user_claim, groups_claim, revision)
                VALUES (
                    \(provider.name), \(provider.issuer), \(provider.label), \(provider.clientID), \(kept.bytes),
                    \(kept.isSealed), \(JSON.array(provider.scopes.map { .string($0) })), \(provider.userClaim),
                    \(provider.groupsClaim), \(revision)
                )
                ON CONFLICT (name) DO UPDATE SET
                    issuer = excluded.issuer, label = excluded.label, client_id = excluded.client_id,
                    secret = excluded.secret, sealed = excluded.sealed, scopes = excluded.scopes,
                    user_claim = excluded.user_claim, groups_claim = excluded.groups_claim,
                    revision = excluded.revision
                """)
            try database.replaceGroups(of: provider)
            if let known, known.provider.issuer != provider.issuer || known.provider.clientID != provider.clientID {
                // The codes of open attempts are those of the former issuer and client, and are sent to no other one.
                try database.execute("DELETE FROM sign_in_attempts WHERE provider = \(provider.name)")
            }
            let users = try database.endSessions(of: provider.name)
            try database.append(audit)
            return (StoredSignInProvider(provider: provider, secret: secret, revision: revision), users)
        }
    }

    package func removeSignInProvider(
        _ known: StoredSignInProvider, audit: AuditEntry
    ) throws(PlatformError) -> [UserID] {
        try transaction { database in
            let name = known.provider.name
            try database.require(known, storedAs: name, by: sealer)
            try database.execute("DELETE FROM sign_in_providers WHERE name = \(name)")
            let users = try database.endSessions(of: name)
            try database.append(audit)
            return users
        }
    }

    package func addSignInAttempt(_ attempt: SignInAttempt) throws(PlatformError) {
        try transaction { database in
            try database.makeRoom(
                in: "sign_in_attempts", by: "state_hash", for: attempt.addressGroup, at: attempt.createdAt,
                lifetime: SignInAttempt.lifetimeMilliseconds, perGroup: SignInAttempt.maximumPerAddressGroup,
                inAll: SignInAttempt.maximumCount)
            try database.execute(
                """
                INSERT INTO sign_in_attempts (
                    state_hash, browser_hash, provider, destination, address_group, created_at)
                VALUES (
                    \(attempt.stateHash), \(attempt.browserHash), \(attempt.provider), \(attempt.destination.path),
                    \(attempt.addressGroup), \(attempt.createdAt)
                )
                """)
        }
    }

    package func takeSignInAttempt(
        stateHash: SHA256Digest, browserHash: SHA256Digest, of provider: SignInProviderName, at now: Timestamp
    ) throws(PlatformError) -> SignInAttempt? {
        try transaction { database in
            let end = now.adding(milliseconds: -SignInAttempt.lifetimeMilliseconds)
            let found = try database.row(
                """
                SELECT destination, address_group, created_at FROM sign_in_attempts
                WHERE state_hash = \(stateHash) AND browser_hash = \(browserHash) AND provider = \(provider)
                    AND created_at > \(end)
                """
            ) { row in
                guard let destination = SignInDestination(try row[0] as String) else {
                    throw DatabaseError.unreadable("sign_in_attempts", statement: "sign_in_attempts")
                }
                return SignInAttempt(
                    stateHash: stateHash, browserHash: browserHash, provider: provider, destination: destination,
                    addressGroup: try row[1], createdAt: try row[2])
            }
            if found != nil { try database.execute("DELETE FROM sign_in_attempts WHERE state_hash = \(stateHash)") }
            return found
        }
    }

    package func beginSession(
        of person: IdentifiedPerson, by provider: StoredSignInProvider, placeholder: PasswordHash,
        secretHash: SHA256Digest, address: String, at now: Timestamp, audit: @Sendable (ProvidedUser) -> [AuditEntry]
    ) throws(PlatformError) -> (session: Session, user: User) {
        try transaction { database in
            try database.require(provider, storedAs: provider.provider.name, by: sealer)
            let provided = try database.provide(person, by: provider.provider, placeholder, at: now)
            let session = try database.insertSession(
                of: provided.user.id, secretHash: secretHash, address: address, at: now)
            for entry in audit(provided) { try database.append(entry) }
            return (session, provided.user)
        }
    }
}

extension Database {
    fileprivate func signInProvider(
        _ name: SignInProviderName, by sealer: (any KeySealer)?
    ) throws -> StoredSignInProvider? {
        try signInProviders(where: "name = \(name)", by: sealer).first
    }

    fileprivate func signInProviders(where condition: SQL, by sealer: (any KeySealer)?) throws -> [StoredSignInProvider]
    {
        let groups = try signInGroups()
        return try rows(
            """
            SELECT name, issuer, client_id, secret, sealed, label, scopes, user_claim, groups_claim, revision
            FROM sign_in_providers WHERE \(condition) ORDER BY name
            """
        ) { row in
            let kept = KeptClientSecret(
                provider: try row[0], issuer: try row[1], clientID: try row[2], bytes: try row[3], isSealed: try row[4])
            let scopes: JSON = try row[6]
            let provider = SignInProvider(
                name: kept.provider, issuer: kept.issuer, label: try row[5], clientID: kept.clientID,
                scopes: scopes.elements?.compactMap(\.string) ?? [], userClaim: try row[7], groupsClaim: try row[8],
                groups: groups[kept.provider] ?? [])
            return StoredSignInProvider(
                provider: provider, secret: try kept.opened(by: sealer), revision: try row[9])
        }
    }

    /// Returns the groups of each provider in their order.
    private func signInGroups() throws -> [SignInProviderName: [GroupGrants]] {
        var names: [SignInProviderName: [String]] = [:]
        var grants: [SignInProviderName: [String: [Grant]]] = [:]
        let rows = try rows(
            "SELECT provider, group_name, role, app, channel FROM sign_in_grants ORDER BY provider, number"
        ) { row in
            guard let scope = Scope(app: try row[3], channel: try row[4]) else {
                throw DatabaseError.unreadable("sign_in_grants", statement: "sign_in_grants")
            }
            return (
                provider: try row[0] as SignInProviderName, group: try row[1] as String,
                grant: Grant(try row[2], on: scope)
            )
        }
        for row in rows {
            if grants[row.provider]?[row.group] == nil { names[row.provider, default: []].append(row.group) }
            grants[row.provider, default: [:]][row.group, default: []].append(row.grant)
        }
        return Dictionary(
            uniqueKeysWithValues: names.map { provider, names in
                (
                    provider,
                    names.compactMap { GroupGrants(group: $0, grants: grants[provider]?[$0] ?? []) }
                )
            })
    }

    fileprivate func require(
        _ known: StoredSignInProvider?, storedAs name: SignInProviderName, by sealer: (any KeySealer)?
    ) throws {
        guard try signInProvider(name, by: sealer) == known else {
            throw PlatformError(
                .busy, "The sign-in provider '\(name)' is being changed. Read it again, and repeat the request.")
        }
    }

    /// Throws `conflict` if another provider has the issuer, or if there are too many.
    fileprivate func requireFree(_ provider: SignInProvider, isNew: Bool) throws {
        let other: SignInProviderName? = try value(
            "SELECT name FROM sign_in_providers WHERE issuer = \(provider.issuer) AND name <> \(provider.name)")
        if let other {
            throw PlatformError(
                .conflict,
                "The sign-in provider '\(other)' has the issuer '\(provider.issuer)'. Change that one, or delete it.")
        }
        let count: Int = try value("SELECT count(*) FROM sign_in_providers") ?? 0
        guard !isNew || count < SignInProvider.maximumCount else {
            throw PlatformError(
                .conflict, "There are \(count) sign-in providers, which is the limit. Delete one first.")
        }
    }

    fileprivate func replaceGroups(of provider: SignInProvider) throws {
        try execute("DELETE FROM sign_in_grants WHERE provider = \(provider.name)")
        let rows = provider.groups.flatMap { group in group.grants.map { (group: group.group, grant: $0) } }
        for (index, row) in rows.enumerated() {
            let scope = row.grant.scope
            try requireScope(scope)
            try execute(
                """
                INSERT INTO sign_in_grants (provider, number, group_name, role, app, channel)
                VALUES (
                    \(provider.name), \(index + 1), \(row.group), \(row.grant.role), \(scope.app), \(scope.channel)
                )
                """)
        }
    }

    /// Ends the sessions of the users of a provider; returns these users.
    fileprivate func endSessions(of name: SignInProviderName) throws -> [UserID] {
        let users = try rows("SELECT user_id FROM user_identities WHERE provider = \(name) ORDER BY user_id") { row in
            try row[0] as UserID
        }
        try execute(
            "DELETE FROM sessions WHERE user_id IN (SELECT user_id FROM user_identities WHERE provider = \(name))")
        return users
    }

    /// Removes the rows of a table of open requests that are over, and the oldest ones beyond the limits, so that there is a
    /// free one.
    ///
    /// - Parameters:
    ///   - key: The column that identifies a row.
    ///   - group: The addresses from which the next row comes.
    ///   - lifetime: The milliseconds for which a row is open.
    func makeRoom(
        in table: SQL, by key: SQL, for group: String, at now: Timestamp, lifetime: Int64, perGroup: Int, inAll: Int
    ) throws {
        try execute("DELETE FROM \(table) WHERE created_at <= \(now.adding(milliseconds: -lifetime))")
        for (condition, limit) in [("address_group = \(group)", perGroup), ("TRUE", inAll)] as [(SQL, Int)] {
            try execute(
                """
                DELETE FROM \(table) WHERE \(key) IN (
                    SELECT \(key) FROM \(table) WHERE \(condition)
                    ORDER BY created_at DESC, \(key) LIMIT \(perGroup) OFFSET \(limit - 1))
                """)
        }
    }

    /// Returns the user of a person, who is created or gets the grants of the person's groups.
    fileprivate func provide(
        _ person: IdentifiedPerson, by provider: SignInProvider, _ placeholder: PasswordHash, at now: Timestamp
    ) throws -> ProvidedUser {
        let known: UserID? = try value(
            "SELECT user_id FROM user_identities WHERE issuer = \(provider.issuer) AND subject = \(person.subject)")
        guard let known else {
            return ProvidedUser(
                user: try insertUser(of: person, by: provider, placeholder, at: now), formerGrants: nil)
        }
        let former = try requireUser(known)
        guard !former.isDisabled else {
            throw PlatformError(.userDisabled, "The user '\(former.name)' is disabled. Ask an admin.")
        }
        try execute("UPDATE user_identities SET provider = \(provider.name) WHERE user_id = \(known)")
        if former.grants != person.grants {
            try replaceGrants(of: known, with: person.grants)
            try execute("UPDATE users SET revision = revision + 1 WHERE id = \(known)")
        }
        return ProvidedUser(user: try requireUser(known), formerGrants: former.grants)
    }

    private func insertUser(
        of person: IdentifiedPerson, by provider: SignInProvider, _ placeholder: PasswordHash, at now: Timestamp
    ) throws -> User {
        guard try user("name = \(person.name)") == nil else {
            throw PlatformError(
                .userExists,
                "There is a user '\(person.name)' already, who does not sign in by this provider as this person. An admin can "
                    + "delete that user, or the provider can give this person another name.")
        }
        let id = try insertUser(person.name, grants: person.grants, password: placeholder, at: now)
        try execute(
            """
            INSERT INTO user_identities (user_id, issuer, subject, provider)
            VALUES (\(id), \(provider.issuer), \(person.subject), \(provider.name))
            """)
        return try requireUser(id)
    }
}
