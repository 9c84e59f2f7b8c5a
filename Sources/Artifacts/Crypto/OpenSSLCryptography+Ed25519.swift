import COpenSSL
package import Domain

extension OpenSSLCryptography {
    private static let algorithm = "ED25519"
    private static let keyLength = 32
    private static let signatureLength = 64

    package func makeEd25519Pair() throws(PlatformError) -> (publicKey: [UInt8], privateKey: [UInt8]) {
        guard let pair = try Self.halves(of: KeyHandle.generate(Self.algorithm)) else {
            throw OpenSSLFailure.error(doing: "reading a new key")
        }
        return pair
    }

    package func readEd25519Pair(pem: [UInt8]) throws(PlatformError) -> (publicKey: [UInt8], privateKey: [UInt8]) {
        guard let key = KeyHandle.reading(pem, as: Self.algorithm), let pair = Self.halves(of: key) else {
            OpenSSLFailure.forget()
            throw PlatformError(
                .invalidRequest,
                "This is not a PEM of an Ed25519 private key without a passphrase. Generate one with "
                    + "`openssl genpkey -algorithm ed25519 -out KEY.pem`.", reason: "key-unreadable")
        }
        return pair
    }

    package func readEd25519PublicKey(pem: [UInt8]) throws(PlatformError) -> [UInt8] {
        guard let key = KeyHandle.reading(pem, as: Self.algorithm) else {
            OpenSSLFailure.forget()
            throw Self.noPublicKey("This is not a PEM of an Ed25519 public key.")
        }
        guard Self.halves(of: key) == nil else {
            throw Self.noPublicKey("This is a private key, but only the public half is accepted here.")
        }
        OpenSSLFailure.forget()
        var length = Self.keyLength
        var publicKey = [UInt8](repeating: 0, count: length)
        try OpenSSLFailure.check(
            EVP_PKEY_get_raw_public_key(key.pointer, &publicKey, &length), doing: "reading a public key")
        return publicKey
    }

    private static func noPublicKey(_ what: String) -> PlatformError {
        PlatformError(
            .invalidRequest, what + " `openssl pkey -in KEY.pem -pubout -out PUBLIC.pem` extracts it.",
            reason: "key-unreadable")
    }

    /// Returns the raw bytes of both halves, or `nil` for a public key alone.
    private static func halves(of key: borrowing KeyHandle) -> (publicKey: [UInt8], privateKey: [UInt8])? {
        var publicLength = keyLength
        var privateLength = keyLength
        var publicKey = [UInt8](repeating: 0, count: publicLength)
        var privateKey = [UInt8](repeating: 0, count: privateLength)
        guard EVP_PKEY_get_raw_public_key(key.pointer, &publicKey, &publicLength) == 1,
            EVP_PKEY_get_raw_private_key(key.pointer, &privateKey, &privateLength) == 1,
            publicLength == keyLength, privateLength == keyLength
        else { return nil }
        return (publicKey, privateKey)
    }

    package func signEd25519(_ message: [UInt8], privateKey: [UInt8]) throws(PlatformError) -> [UInt8] {
        let raw = EVP_PKEY_new_raw_private_key_ex(nil, Self.algorithm, nil, privateKey, privateKey.count)
        guard let key = KeyHandle(owning: raw), let context = EVP_MD_CTX_new() else {
            throw OpenSSLFailure.error(doing: "reading an Ed25519 key")
        }
        defer { EVP_MD_CTX_free(context) }
        try OpenSSLFailure.check(
            EVP_DigestSignInit_ex(context, nil, nil, nil, nil, key.pointer, nil), doing: "preparing a signature")
        var length = Self.signatureLength
        var signature = [UInt8](repeating: 0, count: length)
        try OpenSSLFailure.check(
            EVP_DigestSign(context, &signature, &length, message, message.count), doing: "signing")
        return signature
    }

    package func verifyEd25519(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
        guard signature.count == Self.signatureLength, publicKey.count == Self.keyLength else { return false }
        defer { OpenSSLFailure.forget() }
        let raw = EVP_PKEY_new_raw_public_key_ex(nil, Self.algorithm, nil, publicKey, publicKey.count)
        guard let key = KeyHandle(owning: raw), let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, key.pointer, nil) == 1 else { return false }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
