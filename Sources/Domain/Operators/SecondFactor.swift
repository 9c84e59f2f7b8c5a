package import Ground

/// A second factor: one-time codes by time (RFC 6238), and recovery codes.
package struct SecondFactor: Sendable, Equatable {
    /// The bytes of a secret, those of SHA-1 as RFC 4226 recommends.
    package static let secretBytes = 20
    package static let digits = 6
    /// The milliseconds of a time step.
    package static let stepMilliseconds: Int64 = 30_000
    /// The steps by which the clock of the user's device may differ, each way.
    package static let tolerance: Int64 = 1
    package static let recoveryCodes = 10
    /// The random bytes of a recovery code.
    package static let recoveryBytes = 10

    package let secret: [UInt8]
    /// Whether the user has shown a code of the secret; until then signing in needs no code.
    package var isConfirmed: Bool
    /// The latest step whose code was used; a code works once.
    package var lastStep: Int64
    /// The digests of the recovery codes that are left.
    package var recovery: [SHA256Digest]

    package init(secret: [UInt8], isConfirmed: Bool = false, lastStep: Int64 = 0, recovery: [SHA256Digest] = []) {
        self.secret = secret
        self.isConfirmed = isConfirmed
        self.lastStep = lastStep
        self.recovery = recovery
    }

    /// Uses a code of the present time, or a recovery code; returns `false` for any other text.
    package mutating func use(_ code: String, at now: Timestamp, by cryptography: any Cryptography) -> Bool {
        if code.utf8.count == Self.digits {
            let present = now.milliseconds / Self.stepMilliseconds
            let steps = (present - Self.tolerance)...(present + Self.tolerance)
            // All steps are compared, so that the time reveals none.
            let matching = steps.filter { Self.code(of: secret, at: $0, by: cryptography) == code && $0 > lastStep }
            guard let step = matching.max() else { return false }
            lastStep = step
            return true
        }
        let digest = Self.digest(ofRecovery: code, by: cryptography)
        guard isConfirmed, let index = recovery.firstIndex(of: digest) else { return false }
        recovery.remove(at: index)
        return true
    }

    /// Returns the code of a step (RFC 4226 §5.3).
    package static func code(of secret: [UInt8], at step: Int64, by cryptography: any Cryptography) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
        let mac = cryptography.hmacSHA1(of: counter, key: secret)
        let offset = Int(mac[mac.count - 1] & 0x0F)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }

    /// Returns new recovery codes with their digests.
    package static func makeRecovery(by cryptography: any Cryptography) -> (codes: [String], digests: [SHA256Digest]) {
        let codes = (0..<recoveryCodes).map { _ in
            let text = Array(Base32.encode(cryptography.randomBytes(recoveryBytes)).lowercased())
            return stride(from: 0, to: text.count, by: 4).map { String(text[$0..<min($0 + 4, text.count)]) }
                .joined(separator: "-")
        }
        return (codes, codes.map { digest(ofRecovery: $0, by: cryptography) })
    }

    /// Returns the digest of a recovery code, whose hyphens, spaces and case do not count.
    private static func digest(ofRecovery code: String, by cryptography: any Cryptography) -> SHA256Digest {
        let significant = code.utf8.prefix(64).map(ASCII.lowercased).filter { $0 != ASCII.hyphen && $0 != ASCII.space }
        return cryptography.sha256(significant)
    }

    /// Returns the URI by which authenticator apps read the secret.
    package func uri(of user: UserName, at host: String) -> String {
        let issuer = PercentEncoding.encode("Larder \(host)".utf8)
        return
            "otpauth://totp/\(issuer):\(PercentEncoding.encode(user.text.utf8))?secret=\(Base32.encode(secret))&issuer=\(issuer)"
            + "&algorithm=SHA1&digits=\(Self.digits)&period=\(Self.stepMilliseconds / 1000)"
    }
}
