import Artifacts
import ArtifactsProbe
import Domain
import Ground
import TestKit
import Testing

@Suite(.ownThread)
struct Ed25519Tests {
    let cryptography = OpenSSLCryptography()

    /// A test vector of RFC 8032 §7.1, tests 1 to 3.
    struct Vector: Sendable {
        let privateKey: [UInt8]
        let publicKey: [UInt8]
        let message: [UInt8]
        let signature: [UInt8]

        init(_ privateKey: String, _ publicKey: String, _ message: String, _ signature: String) {
            self.privateKey = Hex.decode(privateKey) ?? []
            self.publicKey = Hex.decode(publicKey) ?? []
            self.message = Hex.decode(message) ?? []
            self.signature = Hex.decode(signature) ?? []
        }

        static let all = [
            Vector(
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
                    + "d25bf5f0595bbe24655141438e7a100b"),
            Vector(
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
                    + "387b2eaeb4302aeeb00d291612bb0c00"),
            Vector(
                "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
                "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
                    + "4a7c15e9716ed28dc027beceea1ec40a"),
        ]
    }

    @Test(arguments: Vector.all)
    func `signatures are those of rfc 8032`(vector: Vector) throws {
        let signature = try cryptography.signEd25519(vector.message, privateKey: vector.privateKey)
        #expect(signature == vector.signature)
        #expect(cryptography.verifyEd25519(signature, of: vector.message, publicKey: vector.publicKey))
    }

    @Test func `a new pair verifies only its own signatures`() throws {
        let pair = try cryptography.makeEd25519Pair()
        let other = try cryptography.makeEd25519Pair()
        let message = Array("larder".utf8)
        var signature = try cryptography.signEd25519(message, privateKey: pair.privateKey)
        #expect(pair.publicKey.count == 32 && pair.privateKey.count == 32)
        #expect(cryptography.verifyEd25519(signature, of: message, publicKey: pair.publicKey))
        #expect(!cryptography.verifyEd25519(signature, of: message + [0], publicKey: pair.publicKey))
        #expect(!cryptography.verifyEd25519(signature, of: message, publicKey: other.publicKey))
        signature[5] ^= 1
        #expect(!cryptography.verifyEd25519(signature, of: message, publicKey: pair.publicKey))
    }

    @Test func `a private key made by openssl is read`() throws {
        let folder = try ScratchFolder()
        let make = ["openssl", "genpkey", "-algorithm", "ed25519", "-out", "key.pem"]
        _ = try Tool.run(make, in: folder)
        _ = try Tool.run(
            ["openssl", "pkey", "-in", "key.pem", "-pubout", "-outform", "DER", "-out", "public.der"], in: folder)
        let pair = try cryptography.readEd25519Pair(pem: folder.read("key.pem"))
        #expect(try pair.publicKey == folder.read("public.der").suffix(32))
        let signature = try cryptography.signEd25519([1], privateKey: pair.privateKey)
        #expect(cryptography.verifyEd25519(signature, of: [1], publicKey: pair.publicKey))
    }

    @Test(arguments: [
        ["genpkey", "-algorithm", "ed448", "-out", "key.pem"], ["genpkey", "-algorithm", "x25519", "-out", "key.pem"],
        ["genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:secret", "-out", "key.pem"],
        ["genrsa", "-out", "key.pem", "2048"],
    ])
    func `other private keys are refused, without a prompt for a passphrase`(command: [String]) throws {
        let folder = try ScratchFolder()
        _ = try Tool.run(["openssl"] + command, in: folder)
        let pem = try folder.read("key.pem")
        let error = #expect(throws: PlatformError.self) { try cryptography.readEd25519Pair(pem: pem) }
        #expect(error?.code == .invalidRequest && error?.reason == "key-unreadable")
    }

    @Test func `a public half alone, and garbage, is refused as a signing key`() throws {
        let folder = try ScratchFolder()
        _ = try Tool.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", "key.pem"], in: folder)
        _ = try Tool.run(["openssl", "pkey", "-in", "key.pem", "-pubout", "-out", "public.pem"], in: folder)
        let pem = try folder.read("key.pem")
        let padding = [UInt8](repeating: UInt8(ascii: "\n"), count: 32 * 1024 - pem.count)
        #expect(throws: Never.self) { try cryptography.readEd25519Pair(pem: pem + padding) }
        let tooLong = pem + padding + [UInt8(ascii: "\n")]
        let wrong: [[UInt8]] = [try folder.read("public.pem"), [], Array("garbage".utf8), tooLong, pem + pem]
        for wrong in wrong {
            #expect(throws: PlatformError.self) { try cryptography.readEd25519Pair(pem: wrong) }
        }
    }

    @Test func `keys and signatures of other lengths are refused`() throws {
        let pair = try cryptography.makeEd25519Pair()
        let signature = try cryptography.signEd25519([], privateKey: pair.privateKey)
        #expect(!cryptography.verifyEd25519(signature.dropLast(), of: [], publicKey: pair.publicKey))
        #expect(!cryptography.verifyEd25519(signature, of: [], publicKey: pair.publicKey.dropLast()))
        #expect(throws: PlatformError.self) {
            try cryptography.signEd25519([], privateKey: pair.privateKey.dropLast())
        }
    }
}
