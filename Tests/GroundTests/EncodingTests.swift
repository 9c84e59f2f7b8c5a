import Ground
import Testing

struct Base64Tests {
    // RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `the vectors of RFC 4648 hold`(plain: String, encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
    }

    @Test func `the alphabet is the one with plus and slash`() {
        #expect(Base64.encode([0xFB, 0xFF, 0xFE]) == "+//+")
        #expect(Base64.decode("-__-") == nil)
    }

    @Test func `every byte is encoded and decoded again`() {
        for count in [253, 254, 255, 256] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: [
        "A", "AA", "AAA", "Zg=", "Zg", "Zg===", "Z===", "====", "=", "Zg==Zg==", "Zm8=Zm8=", "Zm9v\n", " Zm9v", "Zm 9",
        "Zh==", "Zm9=", "AA=A", "Zm9vé",
    ])
    func `text that is not canonical is refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}

struct HexTests {
    @Test func `digits are lower case`() {
        #expect(Hex.encode([0x00, 0x9A, 0xFF]) == "009aff")
        #expect(Hex.decode("009aff") == [0x00, 0x9A, 0xFF])
        #expect(Hex.decode("") == [])
    }

    @Test(arguments: ["0", "000", "0g", "AB", "0x", " 0", "0\n", "é"])
    func `anything else is refused`(text: String) {
        #expect(Hex.decode(text) == nil)
    }
}

struct ByteCountTests {
    @Test(arguments: [
        (0, "0 B"), (1023, "1023 B"), (1024, "1 KB"), (1536, "1.5 KB"), (10_188, "9.9 KB"), (10_240, "10 KB"),
        (1_048_524, "1023 KB"), (1_048_525, "1 MB"), ((1 << 20) - 1, "1 MB"), ((1 << 30) - 1, "1 GB"),
        (16 << 20, "16 MB"), (1 << 30, "1 GB"), (5 << 40, "5 TB"), (2048 << 40, "2048 TB"),
    ])
    func `sizes read as people write them`(bytes: Int, text: String) {
        #expect(ByteCount.text(bytes) == text)
    }
}
