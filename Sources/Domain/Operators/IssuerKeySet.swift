import Ground

/// A public key of an issuer of identity tokens, from its JSON Web Key Set (RFC 7517).
package struct IssuerKey: Sendable, Equatable {
    package enum Material: Sendable, Equatable {
        /// An RSA key: modulus and exponent, unsigned and big-endian.
        case rsa(modulus: [UInt8], exponent: [UInt8])
        /// A point on P-256: its coordinates, 32 bytes each.
        case p256(x: [UInt8], y: [UInt8])
    }

    package let id: String?
    package let material: Material

    /// The algorithm that the key verifies.
    package var algorithm: IdentityToken.Algorithm {
        switch material {
        case .rsa: .rs256
        case .p256: .es256
        }
    }

    /// The bits that the modulus of an RSA key may have; verification with a longer one would take too long.
    package static let rsaBits = 2_048...8_192
    private static let maximumExponentBytes = 8

    /// Fails for a key for another use or of another kind.
    init?(_ json: JSON) {
        guard json["use"] == nil || json["use"] == "sig" else { return nil }
        func bytes(_ name: String) -> [UInt8]? { json[name]?.string.flatMap { Base64.decodeForURL($0) } }
        switch json["kty"]?.string {
        case "RSA":
            guard let modulus = bytes("n").map({ Array($0.drop { $0 == 0 }) }),
                let exponent = bytes("e").map({ Array($0.drop { $0 == 0 }) }), let first = modulus.first,
                Self.rsaBits.contains(modulus.count * 8 - first.leadingZeroBitCount),
                (1...Self.maximumExponentBytes).contains(exponent.count)
            else { return nil }
            material = .rsa(modulus: modulus, exponent: exponent)
        case "EC":
            guard json["crv"] == "P-256", let x = bytes("x"), let y = bytes("y"), x.count == 32, y.count == 32 else {
                return nil
            }
            material = .p256(x: x, y: y)
        default: return nil
        }
        id = json["kid"]?.string
        if let algorithm = json["alg"], algorithm.string != self.algorithm.rawValue { return nil }
    }
}

/// The public keys of an issuer.
package struct IssuerKeySet: Sendable, Equatable {
    package let keys: [IssuerKey]

    /// The limit on the keys of a set; further ones are left out.
    package static let maximumCount = 100

    /// Parses a JSON Web Key Set without the keys that verify no identity token; fails for other JSON.
    package init?(parsing bytes: [UInt8]) {
        guard let elements = JSON(parsing: bytes)?["keys"]?.elements else { return nil }
        keys = Array(elements.lazy.compactMap { IssuerKey($0) }.prefix(Self.maximumCount))
    }

    /// Returns the key that has signed a token if it is genuine; `nil` if the set has none.
    ///
    /// A token without a key id matches only if one key alone has its algorithm.
    package func key(for token: IdentityToken) -> IssuerKey? {
        let suitable = keys.filter { $0.algorithm == token.algorithm }
        guard let id = token.keyID else { return suitable.count == 1 ? suitable[0] : nil }
        return suitable.first { $0.id == id }
    }
}
