import COpenSSL
package import Domain

/// An incremental SHA-256 digest (FIPS 180-4).
package struct SHA256Hasher: ~Copyable {
    private let context: DigestContext

    package init() {
        guard let context = DigestContext(EVP_sha256()) else { preconditionFailure("OpenSSL offers no SHA-256") }
        self.context = context
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) { context.update(bytes) }

    package consuming func finish() -> SHA256Digest {
        guard let digest = SHA256Digest(bytes: context.finish()) else {
            preconditionFailure("a SHA-256 that is not 32 bytes")
        }
        return digest
    }
}
