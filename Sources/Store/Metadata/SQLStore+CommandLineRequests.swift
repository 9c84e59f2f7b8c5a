package import Domain
package import Ground

extension SQLStore {
    package func beginSession(
        agreedBy agreed: Int64, of id: UserID, to request: CommandLineRequest, audit: AuditEntry
    ) throws(PlatformError) -> Session? {
        try transaction { database in
            // A new password may have ended it since the request was authenticated.
            let isOpen: Int? = try database.value(
                "SELECT 1 FROM sessions WHERE id = \(agreed) AND user_id = \(id) AND machine IS NULL")
            guard isOpen != nil else { return nil }
            guard let open = try database.openRequest("code = \(request.code)", at: audit.time), open == request,
                !open.isRefused, let user = try database.user("id = \(id)"), !user.isDisabled
            else { return nil }
            try database.execute("DELETE FROM command_line_requests WHERE code = \(request.code)")
            let session = try database.insertSession(
                of: id, secretHash: request.secretHash, address: request.address, machine: request.machine,
                at: audit.time)
            try database.append(audit)
            return session
        }
    }

    package func addCommandLineRequest(_ request: CommandLineRequest) throws(PlatformError) {
        try transaction { database in
            try database.makeRoom(
                in: "command_line_requests", by: "code", for: request.addressGroup, at: request.createdAt,
                lifetime: CommandLineRequest.lifetimeMilliseconds,
                perGroup: CommandLineRequest.maximumPerAddressGroup, inAll: CommandLineRequest.maximumCount)
            let known: Int? = try database.value(
                """
                SELECT 1 FROM command_line_requests
                WHERE secret_hash = \(request.secretHash) OR code = \(request.code)
                UNION SELECT 1 FROM sessions WHERE secret_hash = \(request.secretHash)
                """)
            guard known == nil else {
                throw PlatformError(.conflict, "There is a request with this secret already. Draw another one.")
            }
            try database.execute(
                """
                INSERT INTO command_line_requests (
                    code, secret_hash, machine, address, address_group, created_at, refused)
                VALUES (
                    \(request.code), \(request.secretHash), \(request.machine), \(request.address),
                    \(request.addressGroup), \(request.createdAt), \(request.isRefused)
                )
                """)
        }
    }

    package func commandLineRequest(
        _ code: CommandLineCode, at now: Timestamp
    ) throws(PlatformError) -> CommandLineRequest? {
        try transaction { try $0.openRequest("code = \(code)", at: now) }
    }

    package func commandLineRequest(
        secretHash: SHA256Digest, at now: Timestamp
    ) throws(PlatformError) -> CommandLineRequest? {
        try transaction { try $0.openRequest("secret_hash = \(secretHash)", at: now) }
    }

    package func refuseCommandLineRequest(
        _ code: CommandLineCode, audit: AuditEntry
    ) throws(PlatformError) -> Bool {
        try transaction { database in
            guard try database.openRequest("code = \(code)", at: audit.time) != nil else { return false }
            try database.execute("UPDATE command_line_requests SET refused = 1 WHERE code = \(code)")
            try database.append(audit)
            return true
        }
    }
}

extension Database {
    fileprivate func openRequest(_ condition: SQL, at now: Timestamp) throws -> CommandLineRequest? {
        let end = now.adding(milliseconds: -CommandLineRequest.lifetimeMilliseconds)
        return try row(
            """
            SELECT code, secret_hash, machine, address, address_group, created_at, refused FROM command_line_requests
            WHERE \(condition) AND created_at > \(end)
            """
        ) { row in
            CommandLineRequest(
                code: try row[0], secretHash: try row[1], machine: try row[2], address: try row[3],
                addressGroup: try row[4], createdAt: try row[5], isRefused: try row[6])
        }
    }
}
