import Domain
import Ground

/// The client secret of a sign-in provider as the database stores it: plain or encrypted.
struct KeptClientSecret: KeptSecret {
    let provider: SignInProviderName
    let issuer: String
    let clientID: String
    let bytes: [UInt8]
    let isSealed: Bool

    init(provider: SignInProviderName, issuer: String, clientID: String, bytes: [UInt8], isSealed: Bool) {
        self.provider = provider
        self.issuer = issuer
        self.clientID = clientID
        self.bytes = bytes
        self.isSealed = isSealed
    }

    /// Creates the stored form of a secret, encrypted if there is a sealer.
    init(
        _ secret: ClientSecret, of provider: SignInProviderName, issuer: String, clientID: String,
        by sealer: (any KeySealer)?
    ) throws(PlatformError) {
        let (plain, label) = (Array(secret.text.utf8), Self.label(provider, issuer, clientID))
        let bytes = try sealer.stored(plain, for: label)
        self.init(provider: provider, issuer: issuer, clientID: clientID, bytes: bytes, isSealed: sealer != nil)
    }

    /// Returns the secret; throws `storageFailed` if it cannot be decrypted.
    func opened(by sealer: (any KeySealer)?) throws(PlatformError) -> ClientSecret {
        let plain = sealer.plain(bytes, isSealed: isSealed, for: Self.label(provider, issuer, clientID))
        guard let plain, let secret = ClientSecret(String(decoding: plain, as: UTF8.self)) else {
            throw PlatformError(
                .storageFailed,
                "The client secret of the sign-in provider '\(provider)' cannot be decrypted. Restart the server.")
        }
        return secret
    }

    /// Returns the text that encryption authenticates, so that a secret cannot be sent to another issuer.
    private static func label(_ provider: SignInProviderName, _ issuer: String, _ clientID: String) -> [UInt8] {
        let members = [issuer, clientID].map { JSON.string($0) }
        return Array("larder-client-secret-1\n\(provider)\n".utf8) + JSON.array(members).bytes()
    }
}

extension Database {
    /// Returns the client secrets of all sign-in providers.
    func keptClientSecrets() throws -> [(id: SignInProviderName, kept: KeptClientSecret)] {
        try rows("SELECT name, issuer, client_id, secret, sealed FROM sign_in_providers ORDER BY name") { row in
            let provider: SignInProviderName = try row[0]
            return (
                provider,
                KeptClientSecret(
                    provider: provider, issuer: try row[1], clientID: try row[2], bytes: try row[3],
                    isSealed: try row[4])
            )
        }
    }
}
