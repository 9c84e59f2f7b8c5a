import COpenSSL
package import Domain

/// An incremental MD5 digest (RFC 1321).
///
/// Only for the legacy signature of seed 000 (clients.md K13), which covers it.
package struct MD5Hasher: ~Copyable {
    private let context: DigestContext

    /// Throws `internalError` if OpenSSL is configured without MD5, as its FIPS provider is.
    package init() throws(PlatformError) {
        guard let context = DigestContext(EVP_md5()) else { throw OpenSSLFailure.error(doing: "beginning an MD5") }
        self.context = context
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) { context.update(bytes) }

    /// Returns the digest of 16 bytes.
    package consuming func finish() -> [UInt8] { context.finish() }
}
