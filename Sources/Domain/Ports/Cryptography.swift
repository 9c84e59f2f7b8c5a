/// Digests, keys and signatures.
///
/// Making keys and legacy signatures may take milliseconds: on a work executor.
package protocol Cryptography: Sendable {
    func sha256(_ bytes: [UInt8]) -> SHA256Digest
    /// A digest of bytes that come in pieces; throws `internalError` where the library does not offer it.
    func digest(_ algorithm: Checksum.Algorithm) throws(PlatformError) -> any RunningDigest
    /// Random bytes fit for keys.
    func randomBytes(_ count: Int) -> [UInt8]
    /// A new Ed25519 pair, 32 raw bytes each.
    func makeEd25519Pair() throws(PlatformError) -> (publicKey: [UInt8], privateKey: [UInt8])
    /// Reads a PEM of an Ed25519 private key (RFC 8410); throws `invalidRequest` for others.
    func readEd25519Pair(pem: [UInt8]) throws(PlatformError) -> (publicKey: [UInt8], privateKey: [UInt8])
    /// Reads a PEM of an Ed25519 public key alone; throws `invalidRequest` for others, private ones among them.
    func readEd25519PublicKey(pem: [UInt8]) throws(PlatformError) -> [UInt8]
    /// 64 bytes (RFC 8032).
    func signEd25519(_ message: [UInt8], privateKey: [UInt8]) throws(PlatformError) -> [UInt8]
    func verifyEd25519(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool
    /// A new 2048-bit RSA pair.
    func makeLegacyPair() throws(PlatformError) -> LegacyPair
    /// Reads a PEM of an RSA key of 2048 to 4096 bits, private or public alone; throws `invalidRequest` for others.
    func readLegacyPair(pem: [UInt8]) throws(PlatformError) -> LegacyPair
    /// Seed 000's signature (clients.md K13): RSAES-PKCS1-v1_5 under the public key, of the MD5 in hex.
    func legacySignature(md5: [UInt8], publicKey pem: [UInt8]) throws(PlatformError) -> [UInt8]
}

extension Cryptography {
    /// The tree hash (semantics.md §1).
    package func treeHash(of tree: Tree) -> SHA256Digest { sha256(tree.hashedBytes) }
}

/// A digest in the making; used by one thread at a time.
package protocol RunningDigest: AnyObject, Sendable {
    func update(_ bytes: [UInt8])
    /// The digest of all bytes; to be asked once, and last.
    func finish() -> [UInt8]
}

/// The halves of a legacy key.
package struct LegacyPair: Sendable, Equatable {
    /// PEM, SubjectPublicKeyInfo.
    package let publicPEM: [UInt8]
    /// DER of the same; what the key id is the digest of.
    package let publicDER: [UInt8]
    /// PEM, PKCS #8; `nil` where only the public half is known.
    package let privatePEM: [UInt8]?

    package init(publicPEM: [UInt8], publicDER: [UInt8], privatePEM: [UInt8]?) {
        self.publicPEM = publicPEM
        self.publicDER = publicDER
        self.privatePEM = privatePEM
    }
}
