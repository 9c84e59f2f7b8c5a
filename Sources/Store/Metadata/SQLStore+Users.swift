package import Domain
package import Ground

extension SQLStore {
    package func users() throws(PlatformError) -> [User] {
        try transaction { database in
            let grants = try database.grants(where: "TRUE")
            return try database.rows("SELECT \(User.columns) FROM users ORDER BY name") { try User($0, grants) }
        }
    }

    package func user(_ name: UserName) throws(PlatformError) -> User? {
        try transaction { try $0.user("name = \(name)") }
    }

    package func createUser(
        _ name: UserName, grants: [Grant], password: PasswordHash, audit: AuditEntry
    ) throws(PlatformError) -> User {
        try transaction { database in
            guard try database.user("name = \(name)") == nil else {
                throw PlatformError(.userExists, "There is a user '\(name)' already. Choose another name.")
            }
            let id = try database.insertUser(name, grants: grants, password: password, at: audit.time)
            try database.append(audit)
            return try database.requireUser(id)
        }
    }

    package func changeUser(
        _ id: UserID, _ change: UserChange, ifMatch precondition: IfMatchPrecondition?, audit: AuditEntry
    ) throws(PlatformError) -> User? {
        try transaction { database in
            let former = try database.user("id = \(id)")
            try precondition?.require(former.map { String($0.revision) }, of: "User \(id)", called: "revision")
            guard let former else { return nil }
            try database.require(change.verified, of: id, by: sealer)
            let isDisabled = change.isDisabled ?? former.isDisabled
            try database.execute(
                "UPDATE users SET disabled = \(isDisabled), revision = revision + 1 WHERE id = \(id)")
            if let grants = change.grants { try database.replaceGrants(of: id, with: grants) }
            if let password = change.password { try database.write(password, of: id) }
            if let factor = change.secondFactor { try database.write(factor, of: id, by: sealer) }
            switch change.ending {
            case .none: break
            case .all: try database.execute("DELETE FROM sessions WHERE user_id = \(id)")
            case .allExcept(let kept):
                try database.execute("DELETE FROM sessions WHERE user_id = \(id) AND id <> \(kept)")
            }
            if former.isLastingAdmin { try database.requireLastingAdmin() }
            try database.append(audit)
            return try database.requireUser(id)
        }
    }

    package func deleteUser(
        _ id: UserID, ifMatch precondition: IfMatchPrecondition?, audit: AuditEntry
    ) throws(PlatformError) -> User? {
        try transaction { database in
            let former = try database.user("id = \(id)")
            try precondition?.require(former.map { String($0.revision) }, of: "User \(id)", called: "revision")
            guard let former else { return nil }
            try database.execute("DELETE FROM users WHERE id = \(id)")
            if former.isLastingAdmin { try database.requireLastingAdmin() }
            try database.append(audit)
            return former
        }
    }

    package func secrets(of name: UserName) throws(PlatformError) -> (user: User, secrets: UserSecrets)? {
        try transaction { database in
            guard let user = try database.user("name = \(name)") else { return nil }
            return try database.secrets(of: user.id, by: sealer).map { (user, $0) }
        }
    }

    package func changeSecondFactor(
        of id: UserID, verified: PasswordHash?, audit: AuditEntry,
        by change: @Sendable (SecondFactor?) throws(PlatformError) -> SecondFactor?
    ) throws(PlatformError) {
        try transaction { database in
            try database.require(verified, of: id, by: sealer)
            guard let secrets = try database.secrets(of: id, by: sealer) else {
                throw PlatformError(.userNotFound, "There is no user \(id).")
            }
            try database.write(try change(secrets.secondFactor), of: id, by: sealer)
            try database.execute("UPDATE users SET revision = revision + 1 WHERE id = \(id)")
            try database.append(audit)
        }
    }

    package func beginSession(
        of id: UserID, secretHash: SHA256Digest, address: String, verified: PasswordHash, upgraded: PasswordHash?,
        audit: AuditEntry, using use: @Sendable (inout SecondFactor) throws(PlatformError) -> Void
    ) throws(PlatformError) -> Session? {
        try transaction { database in
            guard let user = try database.user("id = \(id)"), !user.isDisabled,
                let secrets = try database.secrets(of: id, by: sealer), secrets.password == verified
            else { return nil }
            if var factor = secrets.secondFactor, factor.isConfirmed {
                try use(&factor)
                try database.write(factor, of: id, by: sealer)
            }
            if let upgraded { try database.write(upgraded, of: id) }
            let session = try database.insertSession(
                of: id, secretHash: secretHash, address: address, at: audit.time)
            try database.append(audit)
            return session
        }
    }

    package func session(secretHash: SHA256Digest) throws(PlatformError) -> (session: Session, user: User)? {
        try transaction { database in
            guard let session = try database.sessions("secret_hash = \(secretHash)").first else { return nil }
            return (session, try database.requireUser(session.user))
        }
    }

    package func sessions(of user: UserID?) throws(PlatformError) -> [Session] {
        try transaction { try $0.sessions(user.map { "user_id = \($0)" } ?? "TRUE") }
    }

    package func sessions(_ ids: [Int64]) throws(PlatformError) -> [(session: Session, user: User)] {
        try transaction { database in
            let numbers = database.dialect.integers(in: .array(ids.map { .integer($0) }))
            var users: [UserID: User] = [:]
            return try database.sessions("id IN \(numbers)").map { session in
                let user = try users[session.user] ?? database.requireUser(session.user)
                users[user.id] = user
                return (session, user)
            }
        }
    }

    package func endSession(_ id: Int64, audit: AuditEntry) throws(PlatformError) -> Bool {
        try transaction { database in
            guard try database.execute("DELETE FROM sessions WHERE id = \(id)") == 1 else { return false }
            try database.append(audit)
            return true
        }
    }

    package func recordSessionUses(_ uses: [Int64: Timestamp]) throws(PlatformError) {
        try transaction { database in
            for (id, time) in uses.sorted(by: { $0.key < $1.key }) {
                try database.execute("UPDATE sessions SET used_at = \(time) WHERE id = \(id) AND used_at < \(time)")
            }
        }
    }
}

extension Database {
    /// Inserts a user with grants; throws `conflict` if there are too many, and the errors of unknown scopes.
    func insertUser(
        _ name: UserName, grants: [Grant], password: PasswordHash, at now: Timestamp
    ) throws -> UserID {
        let count: Int = try value("SELECT count(*) FROM users") ?? 0
        guard count < User.maximumCount else {
            throw PlatformError(.conflict, "There are \(count) users, which is the limit. Delete one first.")
        }
        let id = UserID(
            try inserted(
                """
                INSERT INTO users (name, disabled, created_at, password, salt, log_n, r, p, sealed, confirmed, revision)
                VALUES (
                    \(name), 0, \(now), \(password.hash), \(password.salt), \(password.cost.logN),
                    \(password.cost.r), \(password.cost.p), 0, 0, 1
                ) RETURNING id
                """))
        try replaceGrants(of: id, with: grants)
        return id
    }

    /// Inserts a session, after removing those of the user that are over and the oldest ones beyond the limit.
    func insertSession(
        of id: UserID, secretHash: SHA256Digest, address: String, machine: MachineName? = nil, at now: Timestamp
    ) throws -> Session {
        try execute("UPDATE users SET signed_in_at = \(now) WHERE id = \(id)")
        try removeSessions(ofUser: id, at: now)
        let number = try inserted(
            """
            INSERT INTO sessions (user_id, secret_hash, created_at, used_at, address, machine)
            VALUES (\(id), \(secretHash), \(now), \(now), \(address), \(machine)) RETURNING id
            """)
        return Session(id: number, user: id, createdAt: now, usedAt: now, address: address, machine: machine)
    }

    /// Removes the sessions of a user that are over, and the oldest ones, so that there is a free one.
    fileprivate func removeSessions(ofUser id: UserID, at now: Timestamp) throws {
        func isOver(after lifetime: Session.Lifetime) -> SQL {
            """
            created_at <= \(now.adding(milliseconds: -lifetime.longestMilliseconds))
                OR used_at <= \(now.adding(milliseconds: -lifetime.idleMilliseconds))
            """
        }
        try execute(
            """
            DELETE FROM sessions WHERE user_id = \(id) AND (
                (machine IS NULL AND (\(isOver(after: .browser))))
                OR (machine IS NOT NULL AND (\(isOver(after: .commandLine))))
                OR id NOT IN (
                    SELECT id FROM sessions WHERE user_id = \(id) ORDER BY id DESC LIMIT \(Session.maximumPerUser - 1)))
            """)
    }

    fileprivate func sessions(_ condition: SQL) throws -> [Session] {
        try rows(
            "SELECT id, user_id, created_at, used_at, address, machine FROM sessions WHERE \(condition) ORDER BY id"
        ) { row in
            Session(
                id: try row[0], user: try row[1], createdAt: try row[2], usedAt: try row[3], address: try row[4],
                machine: try row[5])
        }
    }

    func user(_ condition: SQL) throws -> User? {
        let grants = try grants(where: "user_id IN (SELECT id FROM users WHERE \(condition))")
        return try row("SELECT \(User.columns) FROM users WHERE \(condition)") { try User($0, grants) }
    }

    func requireUser(_ id: UserID) throws -> User {
        guard let user = try user("id = \(id)") else {
            throw DatabaseError.unmet("user \(id) is missing", statement: "users")
        }
        return user
    }

    fileprivate func grants(where condition: SQL) throws -> [UserID: [Grant]] {
        let rows = try rows(
            "SELECT user_id, role, app, channel FROM user_grants WHERE \(condition) ORDER BY user_id, number"
        ) { row in
            guard let scope = Scope(app: try row[2], channel: try row[3]) else {
                throw DatabaseError.unreadable("user_grants", statement: "user_grants")
            }
            return (user: try row[0] as UserID, grant: Grant(try row[1], on: scope))
        }
        return Dictionary(grouping: rows, by: \.user).mapValues { $0.map(\.grant) }
    }

    func replaceGrants(of id: UserID, with grants: [Grant]) throws {
        try execute("DELETE FROM user_grants WHERE user_id = \(id)")
        for (index, grant) in grants.enumerated() {
            try requireScope(grant.scope)
            try execute(
                """
                INSERT INTO user_grants (user_id, number, role, app, channel)
                VALUES (\(id), \(index + 1), \(grant.role), \(grant.scope.app), \(grant.scope.channel))
                """)
        }
    }

    /// Throws `conflict` if a change was permitted by a password that is no longer the user's.
    fileprivate func require(_ verified: PasswordHash?, of id: UserID, by sealer: (any KeySealer)?) throws {
        guard let verified, try secrets(of: id, by: sealer)?.password != verified else { return }
        throw PlatformError(
            .conflict, "The password was changed during the request. Sign in with the new one, and repeat the request.")
    }

    fileprivate func write(_ password: PasswordHash, of id: UserID) throws {
        try execute(
            """
            UPDATE users SET password = \(password.hash), salt = \(password.salt), log_n = \(password.cost.logN),
                r = \(password.cost.r), p = \(password.cost.p)
            WHERE id = \(id)
            """)
    }

    fileprivate func secrets(of id: UserID, by sealer: (any KeySealer)?) throws -> UserSecrets? {
        try row("SELECT password, salt, log_n, r, p, factor, sealed FROM users WHERE id = \(id)") { row in
            let cost = ScryptCost(logN: try row[2], r: try row[3], p: try row[4])
            let kept = (try row[5] as [UInt8]?).map { bytes in (bytes, isSealed: (try? row[6] as Bool) ?? true) }
            let factor = try kept.map {
                try KeptSecondFactor(user: id, bytes: $0.0, isSealed: $0.isSealed).opened(by: sealer)
            }
            return UserSecrets(
                password: PasswordHash(hash: try row[0], salt: try row[1], cost: cost), secondFactor: factor)
        }
    }
}

extension User {
    fileprivate static let columns: SQL = """
        id, name, disabled, confirmed, created_at, signed_in_at, revision,
        (SELECT provider FROM user_identities WHERE user_id = users.id)
        """

    /// Whether the user alone lets operators create tokens of all kinds forever; a provider may fail.
    fileprivate var isLastingAdmin: Bool { !isDisabled && provider == nil && grants.contains(.admin) }

    fileprivate init(_ row: borrowing Row, _ grants: [UserID: [Grant]]) throws {
        let id: UserID = try row[0]
        self.init(
            id: id, name: try row[1], grants: grants[id] ?? [], isDisabled: try row[2], hasSecondFactor: try row[3],
            provider: try row[7], createdAt: try row[4], signedInAt: try row[5], revision: try row[6])
    }
}
