package import Ground

/// A statement of an OpenID Connect issuer about a CI job: a JSON Web Token (RFC 7519) as a compact JSON Web Signature
/// (RFC 7515).
///
/// Parsing proves nothing: the claims count once the signature is verified by a key of the issuer.
package struct IdentityToken: Sendable {
    /// The limit on the bytes of a token.
    package static let maximumLength = 16 << 10

    /// The id of the key in the header; `nil` if the token names none.
    package let keyID: String?
    package let algorithm: Algorithm
    package let claims: IdentityClaims
    /// The bytes that are signed: header and claims as they were sent.
    package let signedBytes: [UInt8]
    package let signature: [UInt8]

    /// An algorithm of the signature (RFC 7518 §3); only those with a public key are known.
    package enum Algorithm: String, Sendable, CaseIterable {
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case rs256 = "RS256"
        /// ECDSA with P-256 and SHA-256.
        case es256 = "ES256"
    }

    package init(parsing text: String) throws(IdentityTokenFault) {
        guard text.utf8.count <= Self.maximumLength else { throw .malformed("has over \(Self.maximumLength) bytes") }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed("does not have three parts with dots between them") }
        guard let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Base64.decodeForURL(parts[2])
        else {
            throw .malformed("is no JSON Web Token: its parts must be Base64 for URLs, the first two of JSON objects")
        }
        guard header["crit"] == nil else { throw .malformed("requires an extension ('crit'), and none is supported") }
        guard let algorithm = header["alg"]?.string.flatMap(Algorithm.init(rawValue:)) else {
            let known = Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw .malformed("has another signature algorithm than \(known)")
        }
        self.algorithm = algorithm
        keyID = header["kid"]?.string
        self.claims = IdentityClaims(claims)
        signedBytes = Array(parts[0].utf8) + [ASCII.dot] + Array(parts[1].utf8)
        self.signature = signature
    }

    private static func object(_ part: Substring) -> JSON? {
        guard let json = Base64.decodeForURL(part).flatMap({ JSON(parsing: $0) }), json.members != nil else {
            return nil
        }
        return json
    }
}

/// A reason for refusing an identity token, for the caller.
package enum IdentityTokenFault: Error, Equatable {
    case malformed(String)
    case refused(String)

    package var message: String {
        switch self {
        case .malformed(let fault): "The identity token \(fault)."
        case .refused(let reason): "The identity token is refused: \(reason)."
        }
    }
}

/// The claims of an identity token.
package struct IdentityClaims: Sendable {
    /// The seconds by which the clock of the issuer may differ.
    package static let tolerance: Int64 = 60

    private let json: JSON

    package init(_ json: JSON) { self.json = json }

    /// The issuer as the token states it, which is unproven before the signature is verified.
    package var issuer: String? { json["iss"]?.string }
    package var subject: String? { json["sub"]?.string }

    /// Returns the text of a claim that is a text, a number or a Boolean value; `nil` for any other.
    package func text(of name: String) -> String? {
        switch json[name] {
        case .string(let text): text
        case .integer(let number): String(number)
        case .bool(let value): String(value)
        case .number(let text): text
        default: nil
        }
    }

    /// Returns the texts of a claim that is a text or a list of texts; `nil` for any other.
    package func texts(of name: String) -> [String]? {
        if let text = json[name]?.string { return [text] }
        return json[name]?.elements?.compactMap(\.string)
    }

    /// The time at which the token expires; `nil` if it states none.
    package var expiry: Timestamp? { seconds("exp").map { Timestamp(milliseconds: $0 * 1_000) } }

    /// Throws unless the token comes from the issuer, is for the audience, and is valid at an instant.
    package func require(
        issuer: String, audience: String, at now: Timestamp
    ) throws(IdentityTokenFault) {
        guard self.issuer == issuer else {
            throw .refused("its issuer ('iss') is \(Self.shown(self.issuer)), and '\(issuer)' is trusted")
        }
        guard audiences.contains(audience) else {
            let own = audiences.isEmpty ? "none" : audiences.map { Self.shown($0) }.joined(separator: ", ")
            throw .refused("its audience ('aud') is \(own), and must be '\(audience)'")
        }
        let instant = now.milliseconds / 1_000
        guard let expiry = seconds("exp") else { throw .refused("it has no time of expiry ('exp')") }
        guard instant < expiry + Self.tolerance else {
            throw .refused("it expired ('exp') at \(Timestamp(milliseconds: expiry * 1_000).rfc3339)")
        }
        for name in ["nbf", "iat"] where json[name] != nil {
            guard let begin = seconds(name) else { throw .refused("'\(name)' is no time") }
            guard instant >= begin - Self.tolerance else {
                throw .refused(
                    "it is valid ('\(name)') from \(Timestamp(milliseconds: begin * 1_000).rfc3339) on, and the server's "
                        + "time is \(now.rfc3339)")
            }
        }
    }

    /// Throws unless the token is an ID token that an issuer made for a client and an attempt to sign in (OpenID Connect
    /// Core §3.1.3.7), and is valid at an instant.
    package func requireSignIn(
        issuer: String, client: String, nonce: String, at now: Timestamp
    ) throws(IdentityTokenFault) {
        try require(issuer: issuer, audience: client, at: now)
        // A token for several clients could have been made for another one.
        guard json["azp"] == nil ? audiences.count == 1 : json["azp"]?.string == client else {
            throw .refused("it was made for another client ('azp'), and the client is '\(client)'")
        }
        guard json["iat"] != nil else { throw .refused("it has no time at which it was made ('iat')") }
        guard json["nonce"]?.string == nonce else {
            throw .refused("it was made for another attempt to sign in ('nonce')")
        }
    }

    private var audiences: [String] { texts(of: "aud") ?? [] }

    /// The greatest number of seconds that counts as a time: the year 9999.
    private static let lastSecond: Int64 = 253_402_300_799

    /// Returns a time in whole seconds; a fraction is cut off.
    private func seconds(_ name: String) -> Int64? {
        let value: Int64? =
            switch json[name] {
            case .integer(let seconds): seconds
            case .number(let text):
                text.contains(where: { $0 == "e" || $0 == "E" }) ? nil : Int64(text.prefix { $0 != "." })
            default: nil
            }
        return value.flatMap { (0...Self.lastSecond).contains($0) ? $0 : nil }
    }

    private static func shown(_ text: String?) -> String { text.map { "'\(ShownText.of($0.utf8))'" } ?? "absent" }
}
