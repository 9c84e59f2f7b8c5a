import Artifacts
import Domain
import Ground
import Testing

struct KeySealerTests {
    private let plain = Array("a private half of thirty-two b.".utf8)
    private let label = Array("default".utf8)

    private func make(_ seed: UInt8 = 1, count: Int = 32) -> AESKeySealer? {
        AESKeySealer(key: Array(repeating: seed, count: count))
    }

    @Test func `sealed bytes open with the key and the label, and differ each time`() throws {
        let sealer = try #require(make())
        let sealed = try [sealer.seal(plain, for: label), sealer.seal(plain, for: label)]
        #expect(sealed[0] != sealed[1] && sealed[0].count == plain.count + 29 && sealed[0][0] == 1)
        for one in sealed { #expect(sealer.open(one, for: label) == plain) }
    }

    @Test func `another key, another label and any changed byte do not open it`() throws {
        let sealer = try #require(make())
        let sealed = try sealer.seal(plain, for: label)
        #expect(try #require(make(2)).open(sealed, for: label) == nil)
        #expect(sealer.open(sealed, for: label + [0]) == nil)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(sealer.open(changed, for: label) == nil)
        }
        for count in [0, 1, 29, sealed.count - 1] {
            #expect(sealer.open(Array(sealed.prefix(count)), for: label) == nil)
        }
    }

    /// Decrypts a value made with another library, Python's cryptography.
    @Test func `the format is AES-256-GCM with the version and the label authenticated`() throws {
        let sealer = try #require(AESKeySealer(key: Array(0..<32)))
        let sealed = try #require(
            Hex.decode(
                "016465666768696a6b6c6d6e6f293bae14109f37ea5b423789b6034a9224e27262e21e870b8aa5db"
                    + "27dbc18b255d0fcb35a247cb9db6a8bfa033f3be"))
        #expect(sealer.open(sealed, for: label) == plain)
    }

    @Test(arguments: [0, 16, 31, 33]) func `a key has 32 bytes`(count: Int) {
        #expect(make(count: count) == nil)
    }

    @Test func `a sealer that is printed shows no key`() throws {
        let sealer = try #require(make(77))
        #expect(!"\(sealer)".contains("77") && !String(reflecting: sealer).contains("77"))
    }
}
