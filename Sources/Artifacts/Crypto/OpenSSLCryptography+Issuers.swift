import COpenSSL
package import Domain

extension OpenSSLCryptography {
    package func verify(_ token: IdentityToken, by key: IssuerKey) -> Bool {
        defer { OpenSSLFailure.forget() }
        guard key.algorithm == token.algorithm, let handle = KeyHandle(owning: Self.pointer(of: key.material)),
            let signature = Self.encoded(token.signature, key.algorithm), let context = EVP_MD_CTX_new()
        else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit_ex(context, nil, "SHA256", nil, nil, handle.pointer, nil) == 1 else { return false }
        return EVP_DigestVerify(context, signature, signature.count, token.signedBytes, token.signedBytes.count) == 1
    }

    /// Returns the key as OpenSSL has it, which the caller frees.
    ///
    /// The builder of parameters copies neither names nor bytes before it makes the parameters, so all of them live until then.
    private static func pointer(of material: IssuerKey.Material) -> OpaquePointer? {
        switch material {
        case .rsa(let modulus, let exponent):
            guard let n = BN_bin2bn(modulus, Int32(modulus.count), nil) else { return nil }
            defer { BN_free(n) }
            guard let e = BN_bin2bn(exponent, Int32(exponent.count), nil) else { return nil }
            defer { BN_free(e) }
            return OSSL_PKEY_PARAM_RSA_N.withCString { modulusName in
                OSSL_PKEY_PARAM_RSA_E.withCString { exponentName in
                    pointer("RSA") { builder in
                        OSSL_PARAM_BLD_push_BN(builder, modulusName, n) == 1
                            && OSSL_PARAM_BLD_push_BN(builder, exponentName, e) == 1
                    }
                }
            }
        case .p256(let x, let y):
            // An uncompressed point (SEC 1 §2.3.3); OpenSSL refuses one that is not on the curve.
            let point = [0x04] + x + y
            return point.withUnsafeBytes { point in
                OSSL_PKEY_PARAM_GROUP_NAME.withCString { groupName in
                    "P-256".withCString { group in
                        OSSL_PKEY_PARAM_PUB_KEY.withCString { pointName in
                            pointer("EC") { builder in
                                OSSL_PARAM_BLD_push_utf8_string(builder, groupName, group, 0) == 1
                                    && OSSL_PARAM_BLD_push_octet_string(
                                        builder, pointName, point.baseAddress, point.count) == 1
                            }
                        }
                    }
                }
            }
        }
    }

    /// Creates a public key from parameters, which the caller frees.
    private static func pointer(_ algorithm: String, _ push: (OpaquePointer) -> Bool) -> OpaquePointer? {
        guard let builder = OSSL_PARAM_BLD_new() else { return nil }
        defer { OSSL_PARAM_BLD_free(builder) }
        guard push(builder), let parameters = OSSL_PARAM_BLD_to_param(builder) else { return nil }
        defer { OSSL_PARAM_free(parameters) }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, algorithm, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &made, larder_public_key_selection(), parameters) == 1
        else { return nil }
        return made
    }

    /// Returns a signature as OpenSSL reads it: for ECDSA, DER of the two numbers that the token has in 32 bytes each
    /// (RFC 7518 §3.4).
    private static func encoded(_ signature: [UInt8], _ algorithm: IdentityToken.Algorithm) -> [UInt8]? {
        guard algorithm == .es256 else { return signature }
        guard signature.count == 64, let pair = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(pair) }
        let (r, s) = (BN_bin2bn(Array(signature[..<32]), 32, nil), BN_bin2bn(Array(signature[32...]), 32, nil))
        // The pair owns both numbers once it is set.
        guard r != nil, s != nil, ECDSA_SIG_set0(pair, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = i2d_ECDSA_SIG(pair, &encoded)
        guard length > 0, let encoded else { return nil }
        defer { larder_openssl_free(encoded) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(length)))
    }
}
