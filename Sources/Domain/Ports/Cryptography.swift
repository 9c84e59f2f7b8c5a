/// Digests, keys and signatures.
///
/// Generating keys and legacy signatures may take milliseconds and belongs on a work executor.
package protocol Cryptography: Sendable {
    func sha256(_ bytes: [UInt8]) -> SHA256Digest
    /// Returns a digest of bytes that arrive in pieces; throws `internalError` if the library does not support it.
    func digest(_ algorithm: Checksum.Algorithm) throws(PlatformError) -> any RunningDigest
    /// Returns the scrypt of a password (RFC 7914); takes tenths of a second and ``ScryptCost/memory``.
    func scrypt(
        _ password: [UInt8], salt: [UInt8], _ cost: ScryptCost, count: Int
    ) throws(PlatformError) -> [UInt8]
    /// Returns the HMAC with SHA-1 (RFC 2104), for one-time codes only.
    func hmacSHA1(of message: [UInt8], key: [UInt8]) -> [UInt8]
    /// Returns random bytes suitable for keys.
    func randomBytes(_ count: Int) -> [UInt8]
    /// Generates an Ed25519 pair, 32 raw bytes each.
    func makeEd25519Pair() throws(PlatformError) -> (publicKey: [UInt8], privateKey: [UInt8])
    /// Parses a PEM of an Ed25519 private key (RFC 8410); throws `invalidRequest` for any other PEM.
    func readEd25519Pair(pem: [UInt8]) throws(PlatformError) -> (publicKey: [UInt8], privateKey: [UInt8])
    /// Parses a PEM of an Ed25519 public key; throws `invalidRequest` for any other PEM, including private keys.
    func readEd25519PublicKey(pem: [UInt8]) throws(PlatformError) -> [UInt8]
    /// Returns an Ed25519 signature of 64 bytes (RFC 8032).
    func signEd25519(_ message: [UInt8], privateKey: [UInt8]) throws(PlatformError) -> [UInt8]
    func verifyEd25519(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool
    /// Returns whether a key has signed an identity token; takes up to a millisecond.
    func verify(_ token: IdentityToken, by key: IssuerKey) -> Bool
    /// Generates a 2048-bit RSA pair.
    func makeLegacyPair() throws(PlatformError) -> LegacyPair
    /// Parses a PEM of an RSA key of 2048 to 4096 bits, private or public; throws `invalidRequest` for any other PEM.
    func readLegacyPair(pem: [UInt8]) throws(PlatformError) -> LegacyPair
    /// Returns seed 000's signature (clients.md K13): RSAES-PKCS1-v1_5 under the public key, of the MD5 in hex.
    func legacySignature(md5: [UInt8], publicKey pem: [UInt8]) throws(PlatformError) -> [UInt8]
}

extension Cryptography {
    /// Returns the tree hash (semantics.md §1).
    package func treeHash(of tree: Tree) -> SHA256Digest { sha256(tree.hashedBytes) }

    /// Returns the HMAC with SHA-256 (RFC 2104).
    package func hmacSHA256(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        let blockSize = 64
        var block = key.count > blockSize ? sha256(key).bytes : key
        block += Array(repeating: 0, count: blockSize - block.count)
        let inner = sha256(block.map { $0 ^ 0x36 } + message)
        return sha256(block.map { $0 ^ 0x5C } + inner.bytes).bytes
    }
}

/// An incremental digest; used by one thread at a time.
package protocol RunningDigest: AnyObject, Sendable {
    func update(_ bytes: [UInt8])
    /// Returns the digest of all bytes; call it once, as the last call.
    func finish() -> [UInt8]
}

/// The halves of a legacy key.
package struct LegacyPair: Sendable, Equatable {
    /// The public half as PEM (SubjectPublicKeyInfo).
    package let publicPEM: [UInt8]
    /// The public half as DER, whose digest is the key id.
    package let publicDER: [UInt8]
    /// The private half as PEM (PKCS #8); `nil` if only the public half is known.
    package let privatePEM: [UInt8]?

    package init(publicPEM: [UInt8], publicDER: [UInt8], privatePEM: [UInt8]?) {
        self.publicPEM = publicPEM
        self.publicDER = publicDER
        self.privatePEM = privatePEM
    }
}
