import Ground

/// The cost of scrypt (RFC 7914).
package struct ScryptCost: Sendable, Equatable {
    /// The binary logarithm of the cost N.
    package let logN: Int
    package let r: Int
    package let p: Int

    /// - Parameters:
    ///   - logN: The binary logarithm of the cost N.
    ///   - r: The block size.
    ///   - p: The number of passes, one after the other.
    package init(logN: Int, r: Int, p: Int) {
        self.logN = logN
        self.r = r
        self.p = p
    }

    /// 64 MiB for two passes, about 0.4 s on a core: OWASP's equal of N = 2^17 and p = 1 with half the memory.
    package static let standard = ScryptCost(logN: 16, r: 8, p: 2)

    /// The bytes that a computation needs.
    package var memory: Int { 128 * r * ((1 << logN) + p + 2) }
    /// The limit on the memory of a computation, which a row of the database cannot exceed.
    package static let maximumMemory = 256 << 20
}

/// The scrypt of a password, with the salt and the cost that it was computed with.
package struct PasswordHash: Sendable, Equatable {
    package static let bytes = 32
    package static let saltBytes = 16

    package let hash: [UInt8]
    package let salt: [UInt8]
    package let cost: ScryptCost

    package init(hash: [UInt8], salt: [UInt8], cost: ScryptCost) {
        self.hash = hash
        self.salt = salt
        self.cost = cost
    }

    /// Creates a hash that no password has, for a user who signs in by a provider.
    package init(placeholderOf cost: ScryptCost, by cryptography: any Cryptography) {
        self.init(
            hash: cryptography.randomBytes(Self.bytes), salt: cryptography.randomBytes(Self.saltBytes), cost: cost)
    }

    /// Computes the hash of a password, in tenths of a second and with ``ScryptCost/memory``.
    package init(
        of password: Password, salt: [UInt8], cost: ScryptCost, by cryptography: any Cryptography
    ) throws(PlatformError) {
        self.init(
            hash: try cryptography.scrypt(password.bytes, salt: salt, cost, count: Self.bytes), salt: salt, cost: cost)
    }

    /// Returns whether a password has this hash, in a time that does not depend on the difference.
    package func matches(_ password: Password, by cryptography: any Cryptography) throws(PlatformError) -> Bool {
        let other = try cryptography.scrypt(password.bytes, salt: salt, cost, count: Self.bytes)
        return hash.count == other.count && zip(hash, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// A password as a person types it.
///
/// A type without a description, so that printing never shows it.
package struct Password: Sendable, Equatable {
    /// The numbers of bytes that a new password may have.
    package static let lengths = 12...1_000
    package static let shape = "a password of \(lengths.lowerBound) to \(lengths.upperBound) bytes"

    let bytes: [UInt8]

    /// Creates a password that somebody tries; one that is too long is the empty one, which nobody has.
    ///
    /// Keyboards compose characters differently, so the text is normalized.
    package init(_ text: String) {
        bytes = text.utf8.count <= Self.lengths.upperBound ? Array(Normalization.nfc(text).utf8) : []
    }

    /// Fails if the text may not become a password.
    package init?(new text: String) {
        guard Self.lengths.contains(text.utf8.count) else { return nil }
        self.init(text)
    }
}

extension Password: CustomStringConvertible, CustomReflectable {
    package var description: String { "Password" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
