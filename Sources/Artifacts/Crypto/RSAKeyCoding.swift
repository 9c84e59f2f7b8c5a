import COpenSSL
import Domain

/// A coder of RSA keys in PEM and DER.
enum RSAKeyCoding {
    /// Reads and validates a PEM without a passphrase: PKCS #8, PKCS #1 or SubjectPublicKeyInfo.
    ///
    /// Throws `invalidRequest` unless it holds a valid RSA key.
    static func read(_ pem: [UInt8]) throws(PlatformError) -> KeyHandle {
        let key = try parse(pem)
        let isSound = try key.withContext { context throws(PlatformError) in
            isPrivate(key) ? EVP_PKEY_pairwise_check(context) == 1 : EVP_PKEY_public_check(context) == 1
        }
        guard isSound else {
            OpenSSLFailure.forget()
            throw PlatformError(
                .invalidRequest, "The RSA key is damaged: its numbers are inconsistent.", reason: "key-damaged")
        }
        return key
    }

    /// Reads a PEM without checking that its numbers belong together.
    ///
    /// The check takes many times as long; keys that were imported have passed it. Throws `invalidRequest` unless the
    /// PEM holds an RSA key.
    static func parse(_ pem: [UInt8]) throws(PlatformError) -> KeyHandle {
        guard let key = KeyHandle.reading(pem, as: "RSA") else {
            throw PlatformError(
                .invalidRequest,
                "This is not a PEM of an RSA key without a passphrase. Export it with `openssl pkey -in KEY -out KEY.pem`.",
                reason: "key-unreadable")
        }
        return key
    }

    static func isPrivate(_ key: borrowing KeyHandle) -> Bool {
        var exponent: OpaquePointer?
        defer {
            BN_clear_free(exponent)
            OpenSSLFailure.forget()
        }
        return EVP_PKEY_get_bn_param(key.pointer, OSSL_PKEY_PARAM_RSA_D, &exponent) == 1
    }

    static func pair(of key: borrowing KeyHandle) throws(PlatformError) -> LegacyPair {
        let publicPEM = try encode(key, Half.publicHalf, as: "PEM", structure: "SubjectPublicKeyInfo")
        let publicDER = try encode(key, Half.publicHalf, as: "DER", structure: "SubjectPublicKeyInfo")
        let privatePEM = isPrivate(key) ? try encode(key, Half.pair, as: "PEM", structure: "PrivateKeyInfo") : nil
        return LegacyPair(publicPEM: publicPEM, publicDER: publicDER, privatePEM: privatePEM)
    }

    private enum Half {
        static let publicHalf = OSSL_KEYMGMT_SELECT_PUBLIC_KEY
        static let pair = OSSL_KEYMGMT_SELECT_PUBLIC_KEY | OSSL_KEYMGMT_SELECT_PRIVATE_KEY
    }

    private static func encode(
        _ key: borrowing KeyHandle, _ half: Int32, as type: String, structure: String
    ) throws(PlatformError) -> [UInt8] {
        let pointer = key.pointer
        var data: UnsafeMutablePointer<UInt8>?
        var length = 0
        // The context keeps these pointers.
        let result = type.withCString { type in
            structure.withCString { structure in
                let context = OSSL_ENCODER_CTX_new_for_pkey(pointer, half, type, structure, nil)
                defer { OSSL_ENCODER_CTX_free(context) }
                return OSSL_ENCODER_to_data(context, &data, &length)
            }
        }
        defer { larder_openssl_free(data) }
        try OpenSSLFailure.check(result, doing: "writing a key")
        return Array(UnsafeBufferPointer(start: data, count: length))
    }
}
