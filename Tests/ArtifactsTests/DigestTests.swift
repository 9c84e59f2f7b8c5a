import Artifacts
import Domain
import Ground
import TestKit
import Testing

@Suite(.ownThread)
struct DigestTests {
    let cryptography = OpenSSLCryptography()

    @Test func `sha-256 gives the digest of fips 180-4's example`() {
        #expect(
            cryptography.sha256(Array("abc".utf8)).hex
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func `pieces give the same digest as the whole`() throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var sha256 = SHA256Hasher()
        var md5 = try MD5Hasher()
        for start in stride(from: 0, to: bytes.count, by: 777) {
            bytes[start..<min(start + 777, bytes.count)].withUnsafeBytes {
                sha256.update($0)
                md5.update($0)
            }
        }
        var whole = try MD5Hasher()
        bytes.withUnsafeBytes { whole.update($0) }
        let (sha256Digest, md5Digest, wholeDigest) = (sha256.finish(), md5.finish(), whole.finish())
        #expect(sha256Digest == cryptography.sha256(bytes))
        #expect(md5Digest == wholeDigest)
    }

    @Test func `md5 gives the digest of rfc 1321's example`() throws {
        var hasher = try MD5Hasher()
        Array("message digest".utf8).withUnsafeBytes { hasher.update($0) }
        let digest = hasher.finish()
        #expect(Hex.encode(digest) == "f96b697d7cb7938d525a2f31aaf161d0")
    }

    @Test func `random bytes differ from one call to the next`() {
        let first = cryptography.randomBytes(32)
        #expect(first.count == 32)
        #expect(first != cryptography.randomBytes(32))
    }
}
