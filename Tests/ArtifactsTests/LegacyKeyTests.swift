import Artifacts
import ArtifactsProbe
import Domain
import Ground
import TestKit
import Testing

@Suite(.ownThread)
struct LegacyKeyTests {
    let cryptography = OpenSSLCryptography()
    let md5 = (0..<16).map { UInt8($0 * 15) }

    @Test func `openssl decrypts a legacy signature to the md5 in hex`() throws {
        let folder = try ScratchFolder()
        let pair = try cryptography.makeLegacyPair()
        let signature = try cryptography.legacySignature(md5: md5, publicKey: pair.publicPEM)
        #expect(Base64.encode(signature).count == 344)
        try folder.write(try #require(pair.privatePEM), to: "key.pem")
        try folder.write(signature, to: "signature")
        let outcome = try Tool.run(
            ["openssl", "pkeyutl", "-decrypt", "-inkey", "key.pem", "-in", "signature"], in: folder)
        #expect(outcome.text == Hex.encode(md5))
    }

    @Test(arguments: [
        ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", "key.pem"],
        ["genrsa", "-traditional", "-out", "key.pem", "2048"],
    ])
    func `a private key made by openssl is read, and its public half alone`(command: [String]) throws {
        let folder = try ScratchFolder()
        _ = try Tool.run(["openssl"] + command, in: folder)
        _ = try Tool.run(["openssl", "rsa", "-in", "key.pem", "-pubout", "-out", "public.pem"], in: folder)
        _ = try Tool.run(["openssl", "rsa", "-in", "key.pem", "-RSAPublicKey_out", "-out", "pkcs1.pem"], in: folder)
        let pair = try cryptography.readLegacyPair(pem: folder.read("key.pem"))
        #expect(try pair.publicPEM == folder.read("public.pem"))
        #expect(String(decoding: try #require(pair.privatePEM), as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----"))
        for name in ["public.pem", "pkcs1.pem"] {
            let half = try cryptography.readLegacyPair(pem: folder.read(name))
            #expect(half.publicPEM == pair.publicPEM)
            #expect(half.publicDER == pair.publicDER)
            #expect(half.privatePEM == nil)
        }
    }

    @Test(arguments: [
        ("RSA", "rsa_keygen_bits:2047", "key-size"), ("RSA", "rsa_keygen_bits:4098", "key-size"),
        ("EC", "ec_paramgen_curve:P-256", "key-unreadable"), ("RSA-PSS", "rsa_keygen_bits:2048", "key-unreadable"),
    ])
    func `keys of other sizes and kinds are refused`(algorithm: String, option: String, reason: String) throws {
        let folder = try ScratchFolder()
        _ = try Tool.run(
            ["openssl", "genpkey", "-algorithm", algorithm, "-pkeyopt", option, "-out", "key.pem"], in: folder)
        let pem = try folder.read("key.pem")
        let error = #expect(throws: PlatformError.self) { try cryptography.readLegacyPair(pem: pem) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.reason == reason)
    }

    @Test func `the largest key is read`() throws {
        let folder = try ScratchFolder()
        _ = try Tool.run(["openssl", "genrsa", "-out", "key.pem", "4096"], in: folder)
        #expect(try cryptography.readLegacyPair(pem: folder.read("key.pem")).privatePEM != nil)
    }

    @Test func `an encrypted key is refused without asking for its passphrase`() throws {
        let folder = try ScratchFolder()
        _ = try Tool.run(
            ["openssl", "genrsa", "-aes256", "-passout", "pass:secret", "-out", "key.pem", "2048"], in: folder)
        let pem = try folder.read("key.pem")
        #expect(throws: PlatformError.self) { try cryptography.readLegacyPair(pem: pem) }
    }

    @Test(arguments: ["", "garbage", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"])
    func `garbage is refused as a key`(text: String) {
        let error = #expect(throws: PlatformError.self) { try cryptography.readLegacyPair(pem: Array(text.utf8)) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `a PEM with several keys is refused`() throws {
        let (one, other) = (try cryptography.makeLegacyPair(), try cryptography.makeLegacyPair())
        let secret = try #require(one.privatePEM)
        let several = [
            secret + (try #require(other.privatePEM)), one.publicPEM + secret, secret + one.publicPEM,
            one.publicPEM + other.publicPEM,
        ]
        for pem in several {
            #expect(throws: PlatformError.self) { try cryptography.readLegacyPair(pem: pem) }
        }
        #expect(throws: Never.self) { try cryptography.readLegacyPair(pem: Array("a note\n".utf8) + secret) }
    }

    @Test func `input past the longest key is not read`() throws {
        let pair = try cryptography.makeLegacyPair()
        let padding = [UInt8](repeating: UInt8(ascii: "\n"), count: 32 * 1024 - pair.publicPEM.count)
        #expect(throws: Never.self) { try cryptography.readLegacyPair(pem: pair.publicPEM + padding) }
        #expect(throws: PlatformError.self) {
            try cryptography.readLegacyPair(pem: pair.publicPEM + padding + [UInt8(ascii: "\n")])
        }
    }
}
