import Domain
import Ground

/// The second factor of a user as the database stores it: plain or encrypted.
struct KeptSecondFactor: KeptSecret {
    let user: UserID
    let bytes: [UInt8]
    let isSealed: Bool

    init(user: UserID, bytes: [UInt8], isSealed: Bool) {
        self.user = user
        self.bytes = bytes
        self.isSealed = isSealed
    }

    /// Creates the stored form of a second factor, encrypted if there is a sealer.
    init(_ factor: SecondFactor, of user: UserID, by sealer: (any KeySealer)?) throws(PlatformError) {
        let plain = Self.json(factor).bytes()
        let label = Self.label(user)
        let bytes = try sealer.stored(plain, for: label)
        self.init(user: user, bytes: bytes, isSealed: sealer != nil)
    }

    /// Returns the second factor; throws `storageFailed` if it cannot be decrypted.
    func opened(by sealer: (any KeySealer)?) throws(PlatformError) -> SecondFactor {
        let plain = sealer.plain(bytes, isSealed: isSealed, for: Self.label(user))
        guard let plain, let factor = JSON(parsing: plain).flatMap(Self.factor) else {
            throw PlatformError(
                .storageFailed, "The second factor of user \(user) cannot be decrypted. Restart the server.")
        }
        return factor
    }

    /// Returns the text that encryption authenticates, so that one user's second factor cannot replace another's.
    private static func label(_ user: UserID) -> [UInt8] { Array("larder-second-factor-1\n\(user.value)\n".utf8) }

    private static func json(_ factor: SecondFactor) -> JSON {
        .object([
            "secret": .string(Hex.encode(factor.secret)), "confirmed": .bool(factor.isConfirmed),
            "step": .integer(factor.lastStep), "recovery": .array(factor.recovery.map { .string($0.hex) }),
        ])
    }

    private static func factor(_ json: JSON) -> SecondFactor? {
        guard let secret = json["secret"]?.string.flatMap(Hex.decode), let isConfirmed = json["confirmed"]?.bool,
            let step = json["step"]?.integer, let recovery = json["recovery"]?.elements
        else { return nil }
        let digests = recovery.compactMap { $0.string.flatMap { SHA256Digest(hex: $0) } }
        guard digests.count == recovery.count else { return nil }
        return SecondFactor(secret: secret, isConfirmed: isConfirmed, lastStep: step, recovery: digests)
    }
}

extension Database {
    /// Writes the second factor of a user; `nil` removes it.
    func write(_ factor: SecondFactor?, of user: UserID, by sealer: (any KeySealer)?) throws {
        guard let factor else {
            try execute("UPDATE users SET factor = NULL, sealed = 0, confirmed = 0 WHERE id = \(user)")
            return
        }
        let kept = try KeptSecondFactor(factor, of: user, by: sealer)
        try execute(
            """
            UPDATE users SET factor = \(kept.bytes), sealed = \(kept.isSealed), confirmed = \(factor.isConfirmed)
            WHERE id = \(user)
            """)
    }

    /// Returns the second factors of all users.
    func keptSecondFactors() throws -> [(id: UserID, kept: KeptSecondFactor)] {
        try rows("SELECT id, factor, sealed FROM users WHERE factor IS NOT NULL ORDER BY id") { row in
            let user: UserID = try row[0]
            return (user, KeptSecondFactor(user: user, bytes: try row[1], isSealed: try row[2]))
        }
    }
}
