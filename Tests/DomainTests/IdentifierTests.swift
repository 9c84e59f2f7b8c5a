import Domain
import Ground
import Testing

struct IdentifierTests {
    @Test(arguments: ["a", "0", "a-b", "0-", String(repeating: "a", count: 63)])
    func `apps and channels have lower-case letters, digits and hyphens, 63 at most`(text: String) {
        #expect(AppID(text)?.text == text)
        #expect(ChannelName(text)?.text == text)
    }

    @Test(arguments: [
        "", "-a", "A", "aB", "a_b", "a.b", "a b", "ä", "a\u{0}", "a/b", "a\n", String(repeating: "a", count: 64),
    ])
    func `any other text is not an app or a channel`(text: String) {
        #expect(AppID(text) == nil)
        #expect(ChannelName(text) == nil)
    }

    @Test(arguments: ["a", "Z", "9", "a.b", "A_b-C.1", "a.", "395812a922fbd11a52ead0023a7dfc52"])
    func `K19: a package id is a safe name of a folder`(text: String) {
        #expect(PackageID(text)?.text == text)
    }

    @Test(arguments: ["", ".a", "_a", "-a", "a..b", "a..", "a/b", "a\\b", "a+b", "新闻", "a b", "a%2Fb", "a\u{7F}"])
    func `any other text is not a package id`(text: String) {
        #expect(PackageID(text) == nil)
    }

    @Test(arguments: ["1", "1.2.0", "v1", "1.0.0+5", "1.0-beta_2", "2026.01.01-00.00", "1.", "1+"])
    func `a version may have a plus besides`(text: String) {
        #expect(VersionString(text)?.text == text)
    }

    @Test(arguments: ["", "+1", ".1", "1..2", "1/2", "1 2", "１", "1\u{0}", "1:2", "1~2"])
    func `any other text is not a version`(text: String) {
        #expect(VersionString(text) == nil)
    }

    @Test(arguments: [(63, true), (64, true), (65, false)])
    func `packages and versions have 64 characters at most`(length: Int, isTaken: Bool) {
        let text = String(repeating: "x", count: length)
        #expect((PackageID(text) != nil) == isTaken)
        #expect((VersionString(text) != nil) == isTaken)
    }

    @Test func `case counts, but not for being unique`() throws {
        #expect(try Sample.package("News") != Sample.package("news"))
        #expect(try Sample.package("News").folded == Sample.package("nEWS").folded)
        #expect(try Sample.version("1.0-RC").folded == Sample.version("1.0-rc").folded)
    }

    @Test(arguments: [
        ("0123456789abcdef", true), ("0123456789abcde", false), ("0123456789abcdef0", false),
        ("0123456789ABCDEF", false), ("0123456789abcdeg", false),
    ])
    func `a key id is 16 lower-case hex digits`(text: String, isTaken: Bool) {
        #expect((KeyID(text) != nil) == isTaken)
    }

    @Test func `a key id begins a fingerprint`() throws {
        let fingerprint = try #require(SHA256Digest(bytes: (0..<32).map { UInt8($0) }))
        #expect(KeyID(fingerprint: fingerprint).text == "0001020304050607")
    }

    @Test(arguments: [(31, false), (32, true), (33, false)])
    func `a digest has 32 bytes`(count: Int, isTaken: Bool) {
        let bytes = [UInt8](repeating: 0xA5, count: count)
        #expect((SHA256Digest(bytes: bytes) != nil) == isTaken)
        #expect((SHA256Digest(hex: Hex.encode(bytes)) != nil) == isTaken)
    }

    @Test func `a digest in upper case is none`() {
        #expect(SHA256Digest(hex: String(repeating: "ab", count: 32)) != nil)
        #expect(SHA256Digest(hex: String(repeating: "AB", count: 32)) == nil)
    }
}
