package import Domain
import Synchronization

/// Makes tokens and knows them again; a secret is shown once and kept as its SHA-256.
package final class TokenAuthority: Sendable {
    private let store: any MetadataStore
    private let cryptography: any Cryptography
    private let clock: any WallClock
    private let known = Mutex(Known())

    private struct Known {
        var tokens: [SHA256Digest: Token] = [:]
        /// Counts revocations: what was looked up before one may not be remembered after it.
        var revocations = 0
    }

    /// Tokens remembered between requests; past that, all are looked up anew.
    private static let rememberedTokens = 1024

    package init(store: any MetadataStore, cryptography: any Cryptography, clock: any WallClock) {
        self.store = store
        self.cryptography = cryptography
        self.clock = clock
    }

    /// Who presents a secret; `nil` where it is none of ours, or was revoked.
    ///
    /// What is compared is the digest of a random secret, so that the time it takes tells nothing of the secret.
    package func authenticate(_ secret: String) async throws(PlatformError) -> Operator? {
        let digest = cryptography.sha256(Array(secret.utf8))
        let (remembered, revocations) = known.withLock { ($0.tokens[digest], $0.revocations) }
        if let remembered { return Operator(token: remembered) }
        guard let token = try await store.token(secretHash: digest) else { return nil }
        known.withLock { known in
            guard known.revocations == revocations else { return }
            if known.tokens.count >= Self.rememberedTokens { known.tokens.removeAll() }
            known.tokens[digest] = token
        }
        return Operator(token: token)
    }

    /// Makes a token; the secret is in this answer and nowhere else.
    package func create(
        name: String, role: Role, by author: Operator
    ) async throws(PlatformError) -> (token: Token, secret: String) {
        let secret = makeSecret()
        return (try await register(secret, name: name, role: role, by: author), secret)
    }

    /// A new secret, which opens nothing before it is registered.
    package func makeSecret() -> String {
        "larder_" + Hex.encode(cryptography.randomBytes(32))
    }

    /// Lets a secret of ``makeSecret()`` open what its role may.
    package func register(
        _ secret: String, name: String, role: Role, by author: Operator
    ) async throws(PlatformError) -> Token {
        // By scalars: to a string, CR and LF together are one character that is neither.
        let name = String(String.UnicodeScalarView(name.unicodeScalars.filter { $0 != "\n" && $0 != "\r" }))
        guard !name.isEmpty, name.utf8.count <= Token.maximumNameLength else {
            throw PlatformError(
                .invalidRequest, "A token needs a name of 1 to \(Token.maximumNameLength) bytes, to tell it by.")
        }
        let audit = author.audit(
            .createToken, name, in: nil, at: clock.now(), [.init("role", .string(role.rawValue))])
        return try await store.createToken(
            name: name, role: role, secretHash: cryptography.sha256(Array(secret.utf8)), audit: audit)
    }

    package func tokens() async throws(PlatformError) -> [Token] {
        try await store.tokens()
    }

    /// Revokes a token for good; takes effect with the next request.
    ///
    /// Throws `tokenNotFound`.
    package func revoke(_ id: Int64, by author: Operator) async throws(PlatformError) -> Token {
        let audit = author.audit(.revokeToken, "#\(id)", in: nil, at: clock.now())
        guard let token = try await store.revokeToken(id, audit: audit) else {
            throw PlatformError(.tokenNotFound, "There is no token #\(id).")
        }
        known.withLock { known in
            known.tokens.removeAll()
            known.revocations += 1
        }
        return token
    }
}
