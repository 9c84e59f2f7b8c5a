import Domain

/// The result of encrypting private keys at the start.
package struct KeySealing: Sendable, Equatable {
    /// The number of private keys that were encrypted or re-encrypted.
    package internal(set) var sealed = 0
    /// The reason why earlier copies may remain in free pages; the next start tries again.
    package internal(set) var remains: String?

    /// Creates the result for a database in which all keys are encrypted already.
    package init() {}
}

/// A secret as the database stores it: plain or encrypted.
protocol KeptSecret {
    associatedtype Secret

    var isSealed: Bool { get }

    /// Returns the secret; throws `storageFailed` if it cannot be decrypted.
    func opened(by sealer: (any KeySealer)?) throws(PlatformError) -> Secret
}

extension (any KeySealer)? {
    /// Returns the bytes that the database stores: encrypted if there is a sealer.
    func stored(_ plain: [UInt8], for label: [UInt8]) throws(PlatformError) -> [UInt8] {
        guard let self else { return plain }
        return try self.seal(plain, for: label)
    }

    /// Returns the bytes before they were stored; `nil` if they cannot be decrypted.
    func plain(_ stored: [UInt8], isSealed: Bool, for label: [UInt8]) -> [UInt8]? {
        isSealed ? self?.open(stored, for: label) : stored
    }
}

extension Database {
    /// Encrypts every private key, endpoint of a webhook, second factor and client secret with the current key, and removes the earlier copies from the database's files.
    ///
    /// Throws `invalidRequest` without a change if one of them is encrypted with a key that is not given.
    func sealKeys(by protection: KeyProtection) throws -> KeySealing {
        var sealing = KeySealing()
        try transaction {
            sealing.sealed += try seal(keptHalves(), by: protection) {
                "the \($1.purpose.rawValue) key \($1.id) of '\($1.app)'"
            } write: { number, half, bytes, sealer in
                let plain = KeptHalf(app: half.app, purpose: half.purpose, id: half.id, bytes: bytes, isSealed: false)
                let sealed = try plain.sealed(by: sealer)
                try execute("UPDATE keys SET private_key = \(sealed.bytes), sealed = 1 WHERE number = \(number)")
            }
            sealing.sealed += try seal(keptEndpoints(), by: protection) {
                "the endpoint of webhook \($0) of '\($1.app)'"
            } write: { id, kept, endpoint, sealer in
                let sealed = try KeptEndpoint(
                    endpoint, of: kept.app, kind: kept.kind, createdAt: kept.createdAt, by: sealer)
                try execute("UPDATE webhooks SET endpoint = \(sealed.bytes), sealed = 1 WHERE id = \(id)")
            }
            sealing.sealed += try seal(keptSecondFactors(), by: protection) { user, _ in
                "the second factor of user \(user)"
            } write: { user, _, factor, sealer in
                try write(factor, of: user, by: sealer)
            }
            sealing.sealed += try seal(keptClientSecrets(), by: protection) { provider, _ in
                "the client secret of the sign-in provider '\(provider)'"
            } write: { provider, kept, secret, sealer in
                let sealed = try KeptClientSecret(
                    secret, of: provider, issuer: kept.issuer, clientID: kept.clientID, by: sealer)
                try execute(
                    "UPDATE sign_in_providers SET secret = \(sealed.bytes), sealed = 1 WHERE name = \(provider)")
            }
            if sealing.sealed > 0 { try execute("INSERT INTO key_remains VALUES (1) ON CONFLICT DO NOTHING") }
        }
        do {
            try removeKeyRemains()
        } catch let error as DatabaseError {
            sealing.remains = error.description
        }
        return sealing
    }

    private func keptHalves() throws -> [(id: Int64, kept: KeptHalf)] {
        try rows(
            """
            SELECT number, app, purpose, id, private_key, sealed FROM keys WHERE private_key IS NOT NULL ORDER BY number
            """
        ) { row in
            (try row[0], try KeptHalf(app: row[1], purpose: row[2], id: row[3], bytes: row[4], isSealed: row[5]))
        }
    }

    /// Encrypts secrets with the current key; returns the number of those that it wrote.
    ///
    /// - Parameters:
    ///   - name: Returns a secret in words, for messages.
    ///   - write: Writes a secret that the sealer encrypts.
    private func seal<ID, Kept: KeptSecret>(
        _ secrets: [(id: ID, kept: Kept)], by protection: KeyProtection, name: (ID, Kept) -> String,
        write: (ID, Kept, Kept.Secret, any KeySealer) throws -> Void
    ) throws -> Int {
        var count = 0
        for (id, kept) in secrets {
            guard let current = protection.current else {
                guard !kept.isSealed else { throw PlatformError.keyMissing }
                continue
            }
            if kept.isSealed, (try? kept.opened(by: current)) != nil { continue }
            guard let secret = try? kept.opened(by: protection.previous) else {
                throw PlatformError.keyWrong(for: name(id, kept), hasPrevious: protection.previous != nil)
            }
            try write(id, kept, secret, current)
            count += 1
        }
        return count
    }

    private func keptEndpoints() throws -> [(id: Int64, kept: KeptEndpoint)] {
        try rows("SELECT id, app, kind, created_at, endpoint, sealed FROM webhooks ORDER BY id") { row in
            (
                try row[0],
                try KeptEndpoint(app: row[1], kind: row[2], createdAt: row[3], bytes: row[4], isSealed: row[5])
            )
        }
    }

    /// Rewrites the data of the keys, the webhooks, the users and the sign-in providers without the earlier copies.
    private func removeKeyRemains() throws {
        let isPending: Int? = try value("SELECT \"only\" FROM key_remains")
        guard isPending != nil else { return }
        switch dialect {
        case .sqlite: try rewriteFile()
        // The write-ahead log of the server keeps earlier copies for a while (docs/operations.md).
        case .postgreSQL:
            for table in ["keys", "webhooks", "users", "sign_in_providers"] {
                try executeScript("VACUUM FULL \(table)")
            }
        }
        try execute("DELETE FROM key_remains")
    }

    /// Rewrites the file without its free pages, and empties the log.
    private func rewriteFile() throws {
        do {
            try executeScript("VACUUM")
        } catch {
            // The partial result is in the log, which may be as large as the database, on a disk that may be full.
            _ = try? value("PRAGMA wal_checkpoint(TRUNCATE)") as Bool?
            throw error
        }
        let isBusy: Bool? = try value("PRAGMA wal_checkpoint(TRUNCATE)")
        guard isBusy == false else {
            throw DatabaseError.unmet("another program reads the database", statement: "PRAGMA wal_checkpoint")
        }
    }
}

extension PlatformError {
    fileprivate static let keyMissing = PlatformError(
        .invalidRequest,
        "The private keys in the database are encrypted, and their key is missing. Give its file as --key-file, or set "
            + "LARDER_KEY.")

    /// - Parameter secret: The first secret that cannot be decrypted, in words.
    fileprivate static func keyWrong(for secret: String, hasPrevious: Bool) -> PlatformError {
        let which = hasPrevious ? "Neither the key nor the old key decrypts" : "The given key does not decrypt"
        let advice =
            hasPrevious
            ? "give the key that they were encrypted with"
            : "give the key that they were encrypted with; to change the key, give that key's file as --old-key-file"
        return PlatformError(
            .invalidRequest,
            "\(which) the private keys in the database (the first is \(secret)): \(advice). Nothing was changed.")
    }
}
