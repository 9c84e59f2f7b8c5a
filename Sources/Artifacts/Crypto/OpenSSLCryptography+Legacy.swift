import COpenSSL
package import Domain
import Ground

extension OpenSSLCryptography {
    /// The bits of a new legacy key.
    package static let newLegacyKeyBits: UInt32 = 2048
    package static let legacyKeyBits: ClosedRange<Int32> = 2048...4096

    package func makeLegacyPair() throws(PlatformError) -> LegacyPair {
        let key = try KeyHandle.generate("RSA") { EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(Self.newLegacyKeyBits)) }
        return try RSAKeyCoding.pair(of: key)
    }

    package func readLegacyPair(pem: [UInt8]) throws(PlatformError) -> LegacyPair {
        let key = try RSAKeyCoding.read(pem)
        let bits = EVP_PKEY_get_bits(key.pointer)
        guard Self.legacyKeyBits.contains(bits) else {
            throw PlatformError(
                .invalidRequest,
                "The RSA key has \(bits) bits; it must have \(Self.legacyKeyBits.lowerBound) to "
                    + "\(Self.legacyKeyBits.upperBound).", reason: "key-size")
        }
        return try RSAKeyCoding.pair(of: key)
    }

    package func legacySignature(md5: [UInt8], publicKey pem: [UInt8]) throws(PlatformError) -> [UInt8] {
        let key = try RSAKeyCoding.parse(pem)
        let message = Array(Hex.encode(md5).utf8)
        return try key.withContext { context throws(PlatformError) in
            try OpenSSLFailure.check(EVP_PKEY_encrypt_init(context), doing: "preparing a legacy signature")
            try OpenSSLFailure.check(
                EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING), doing: "preparing a legacy signature")
            var length = Int(EVP_PKEY_get_size(key.pointer))
            var signature = [UInt8](repeating: 0, count: length)
            try OpenSSLFailure.check(
                EVP_PKEY_encrypt(context, &signature, &length, message, message.count),
                doing: "making a legacy signature")
            return Array(signature.prefix(length))
        }
    }
}
