package import Ground

/// An attempt to sign in by a provider, from the redirect to the provider until the callback.
package struct SignInAttempt: Sendable, Equatable {
    /// The digest of the state that the provider passes back.
    package let stateHash: SHA256Digest
    /// The digest of the secret in the cookie of the browser.
    package let browserHash: SHA256Digest
    package let provider: SignInProviderName
    package let destination: SignInDestination
    /// The addresses that count as one, from which the attempt began.
    package let addressGroup: String
    package let createdAt: Timestamp

    /// The limit on the open attempts of an installation; a further one removes the oldest.
    package static let maximumCount = 10_000
    /// The limit on the open attempts of one group of addresses; a further one removes the oldest of the group.
    package static let maximumPerAddressGroup = 100
    /// The milliseconds for which an attempt is open.
    package static let lifetimeMilliseconds: Int64 = 600_000

    package init(
        stateHash: SHA256Digest, browserHash: SHA256Digest, provider: SignInProviderName,
        destination: SignInDestination, addressGroup: String, createdAt: Timestamp
    ) {
        self.stateHash = stateHash
        self.browserHash = browserHash
        self.provider = provider
        self.destination = destination
        self.addressGroup = addressGroup
        self.createdAt = createdAt
    }
}

/// The page of the console that opens after signing in: a path below `/console/`, which may have a fragment.
package struct SignInDestination: Sendable, Equatable {
    /// The limit on the bytes of a path.
    package static let maximumLength = 500
    package static let root = "/console/"
    package static let shape = "a path that begins with \(root), of at most \(maximumLength) visible ASCII characters"
    package static let console = SignInDestination(path: root)

    package let path: String

    /// Fails for a text of another shape.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.root), text.utf8.count <= Self.maximumLength,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) })
        else { return nil }
        path = text
    }

    private init(path: String) { self.path = path }
}

/// The secrets of an attempt to sign in, of which the server stores digests only.
///
/// Nonce and verifier follow from the browser's secret, so that neither the database nor the state reveals them.
package struct SignInSecrets: Sendable {
    /// The random bytes of a secret.
    private static let secretBytes = 32
    /// The characters of a secret.
    private static let length = secretBytes * 2

    /// The value that the provider passes back with the code.
    package let state: String
    /// The value of the cookie.
    package let browser: String

    /// Draws new secrets.
    package init(by cryptography: any Cryptography) {
        state = Hex.encode(cryptography.randomBytes(Self.secretBytes))
        browser = Hex.encode(cryptography.randomBytes(Self.secretBytes))
    }

    /// Fails for texts that are no secrets.
    package init?(state: String, browser: String) {
        guard [state, browser].allSatisfy({ $0.utf8.count == Self.length && Hex.decode($0) != nil }) else { return nil }
        self.state = state
        self.browser = browser
    }

    package func stateHash(by cryptography: any Cryptography) -> SHA256Digest {
        cryptography.sha256(Array(state.utf8))
    }

    package func browserHash(by cryptography: any Cryptography) -> SHA256Digest {
        cryptography.sha256(Array(browser.utf8))
    }

    /// Returns the value that the ID token has to repeat.
    package func nonce(by cryptography: any Cryptography) -> String { derived("nonce", cryptography) }

    /// Returns the code verifier (RFC 7636 §4.1).
    package func verifier(by cryptography: any Cryptography) -> String { derived("verifier", cryptography) }

    /// Returns the code challenge of the method S256 (RFC 7636 §4.2).
    package func challenge(by cryptography: any Cryptography) -> String {
        Base64.encodeForURL(cryptography.sha256(Array(verifier(by: cryptography).utf8)).bytes)
    }

    private func derived(_ purpose: String, _ cryptography: any Cryptography) -> String {
        let message = Array("larder-sign-in-\(purpose)-1\n\(state)\n".utf8)
        return Hex.encode(cryptography.hmacSHA256(of: message, key: Array(browser.utf8)))
    }
}
