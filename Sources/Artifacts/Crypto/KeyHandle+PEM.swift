import COpenSSL

extension KeyHandle {
    /// The maximum length of a PEM in bytes; longer input holds no key of an accepted size.
    static let maximumPEMLength = 32 * 1024

    /// Reads a PEM without a passphrase: PKCS #8, SubjectPublicKeyInfo, or the algorithm's own format.
    ///
    /// Returns `nil` unless the PEM holds exactly one key of this algorithm. Does not check whether the numbers of an
    /// RSA key belong together.
    static func reading(_ pem: [UInt8], as algorithm: String) -> KeyHandle? {
        guard pem.count <= maximumPEMLength else { return nil }
        var decoded: OpaquePointer?
        var left = pem.count
        // The context keeps these pointers.
        withUnsafeMutablePointer(to: &decoded) { destination in
            "PEM".withCString { type in
                algorithm.withCString { algorithm in
                    let context = OSSL_DECODER_CTX_new_for_pkey(destination, type, nil, algorithm, 0, nil, nil)
                    defer { OSSL_DECODER_CTX_free(context) }
                    pem.withUnsafeBufferPointer { buffer in
                        var next = buffer.baseAddress
                        _ = OSSL_DECODER_from_data(context, &next, &left)
                    }
                }
            }
        }
        OpenSSLFailure.forget()
        guard let key = KeyHandle(owning: decoded), EVP_PKEY_is_a(key.pointer, algorithm) == 1,
            // With several keys it is ambiguous which one is meant.
            !String(decoding: pem.suffix(left), as: UTF8.self).contains("-----BEGIN")
        else { return nil }
        return key
    }
}
