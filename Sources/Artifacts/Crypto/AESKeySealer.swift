import COpenSSL
package import Domain

/// An encryptor of private keys with AES-256-GCM: a version byte, a random nonce, the ciphertext, the tag.
///
/// The version byte and the label are authenticated as well.
package final class AESKeySealer: KeySealer {
    package static let keyLength = 32
    private static let version: UInt8 = 1
    private static let nonceLength = 12
    private static let tagLength = 16
    private static let overhead = 1 + nonceLength + tagLength

    private let key: [UInt8]
    private let cryptography = OpenSSLCryptography()

    /// Returns `nil` unless the key has 32 bytes.
    package init?(key: [UInt8]) {
        guard key.count == Self.keyLength else { return nil }
        self.key = key
    }

    package func seal(_ plain: [UInt8], for label: [UInt8]) throws(PlatformError) -> [UInt8] {
        let nonce = cryptography.randomBytes(Self.nonceLength)
        let context = try CipherContext()
        let doing = "sealing a key"
        try OpenSSLFailure.check(
            EVP_EncryptInit_ex(context.pointer, EVP_aes_256_gcm(), nil, key, nonce), doing: doing)
        var length: Int32 = 0
        let authenticated = [Self.version] + label
        try OpenSSLFailure.check(
            EVP_EncryptUpdate(context.pointer, nil, &length, authenticated, Int32(authenticated.count)), doing: doing)
        var sealed = [UInt8](repeating: 0, count: plain.count)
        try OpenSSLFailure.check(
            EVP_EncryptUpdate(context.pointer, &sealed, &length, plain, Int32(plain.count)), doing: doing)
        // GCM is a stream cipher: only the tag is left for the end.
        var rest = [UInt8](repeating: 0, count: Self.tagLength)
        try OpenSSLFailure.check(EVP_EncryptFinal_ex(context.pointer, &rest, &length), doing: doing)
        var tag = [UInt8](repeating: 0, count: Self.tagLength)
        try OpenSSLFailure.check(
            EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag), doing: doing)
        return [Self.version] + nonce + sealed + tag
    }

    package func open(_ sealed: [UInt8], for label: [UInt8]) -> [UInt8]? {
        guard sealed.count > Self.overhead, sealed[0] == Self.version, let context = try? CipherContext() else {
            return nil
        }
        defer { OpenSSLFailure.forget() }
        let nonce = Array(sealed.dropFirst().prefix(Self.nonceLength))
        let body = Array(sealed.dropFirst(1 + Self.nonceLength).dropLast(Self.tagLength))
        var tag = Array(sealed.suffix(Self.tagLength))
        let authenticated = [Self.version] + label
        var plain = [UInt8](repeating: 0, count: body.count)
        var rest = [UInt8](repeating: 0, count: Self.tagLength)
        var length: Int32 = 0
        guard EVP_DecryptInit_ex(context.pointer, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            EVP_DecryptUpdate(context.pointer, nil, &length, authenticated, Int32(authenticated.count)) == 1,
            EVP_DecryptUpdate(context.pointer, &plain, &length, body, Int32(body.count)) == 1,
            EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1,
            EVP_DecryptFinal_ex(context.pointer, &rest, &length) == 1
        else { return nil }
        return plain
    }
}

/// An OpenSSL cipher context, freed and wiped at the end of its owner's life.
private struct CipherContext: ~Copyable {
    let pointer: OpaquePointer

    init() throws(PlatformError) {
        guard let pointer = EVP_CIPHER_CTX_new() else { throw OpenSSLFailure.error(doing: "preparing a cipher") }
        self.pointer = pointer
    }

    deinit { EVP_CIPHER_CTX_free(pointer) }
}
