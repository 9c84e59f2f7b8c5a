import COpenSSL
package import Domain

/// Digests, keys and signatures, implemented with OpenSSL 3.
package struct OpenSSLCryptography: Cryptography {
    package init() {}

    package func sha256(_ bytes: [UInt8]) -> SHA256Digest {
        var hasher = SHA256Hasher()
        bytes.withUnsafeBytes { hasher.update($0) }
        return hasher.finish()
    }

    package func digest(_ algorithm: Checksum.Algorithm) throws(PlatformError) -> any RunningDigest {
        try ChecksumDigest(algorithm)
    }

    package func randomBytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let result = RAND_bytes(buffer.baseAddress, Int32(count))
            precondition(result == 1, "the system has no random bytes")
            initialized = count
        }
    }
}
