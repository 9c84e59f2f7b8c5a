import Dialects
import Domain
import ServiceKit
import TestKit
import Testing

struct TextPatchTests {
    private func patch(_ old: String, _ new: String, limit: Int = 5000) -> String? {
        textPatch(from: Array(old.utf8), to: Array(new.utf8), limit: limit)
    }

    @Test func `a patch is in the library's form`() {
        #expect(patch("abc", "abXc") == "@@ -1,3 +1,4 @@\n ab\n+X\n c\n")
        #expect(patch("", "new") == "@@ -0,0 +1,3 @@\n+new\n")
        #expect(patch("old", "") == "@@ -1,3 +0,0 @@\n-old\n")
        #expect(patch("a", "b") == "@@ -1 +1 @@\n-a\n+b\n")
    }

    @Test func `distant changes have separate hunks, with offsets in the text after the earlier hunks`() {
        let between = String(repeating: "0123456789", count: 5)
        #expect(
            patch("start" + between + "end.", "Start!!" + between + "END.")
                == "@@ -1,9 +1,11 @@\n-s\n+S\n tart\n+!!\n 0123\n@@ -54,8 +54,8 @@\n 6789\n-end\n+END\n .\n")
    }

    @Test func `characters are escaped as encodeURI does`() {
        #expect(
            patch("", "a\"\n%é中 ;/?:@&=+$,#-_.!~*'()^`|")
                == "@@ -0,0 +1,30 @@\n+a%22%0A%25%C3%A9%E4%B8%AD ;/?:@&=+$,#-_.!~*'()%5E%60%7C\n")
    }

    @Test func `offsets count UTF-16 units, not bytes`() {
        #expect(
            patch("中中中中中中a", "中中中中中中b") == "@@ -3,5 +3,5 @@\n \(String(repeating: "%E4%B8%AD", count: 4))\n-a\n+b\n")
    }

    @Test(arguments: [("a😀", "a"), ("a", "b😀"), ("\u{FEFF}a", "b"), ("a", "\u{FEFF}b"), ("same", "same")])
    func `texts that are equal, have a byte order mark, or exceed U+FFFF have no patch`(old: String, new: String) {
        #expect(patch(old, new) == nil)
    }

    @Test func `a text with U+FFFF has a patch`() {
        #expect(patch("a", "a\u{FFFF}") == "@@ -1 +1,2 @@\n a\n+%EF%BF%BF\n")
    }

    @Test func `bytes that are not UTF-8 have no patch`() {
        #expect(textPatch(from: [0x61, 0xFF], to: [0x61], limit: 5000) == nil)
        #expect(textPatch(from: [0x61], to: [0xC3], limit: 5000) == nil)
        #expect(textPatch(from: [0xED, 0xA0, 0x80], to: [0x61], limit: 5000) == nil)
    }

    @Test func `a patch of 5,000 characters is kept, and one of 5,001 is not`() throws {
        // "@@ -0,0 +1,4981 @@\n+" and the line end are 21.
        let heading = 21
        let longest = try #require(patch("", String(repeating: "x", count: 5000 - heading)))
        #expect(longest.utf8.count == 5000)
        #expect(patch("", String(repeating: "x", count: 5001 - heading)) == nil)
        #expect(patch("", "x", limit: 0) == nil)
    }

    @Test func `the limit applies to the encoded patch`() {
        #expect(patch("", String(repeating: "中", count: 554)) == nil)
        #expect(patch("", String(repeating: "中", count: 553))?.utf8.count == 9 * 553 + 20)
    }

    @Test func `a text of 4 MiB has a patch, and a longer one has none`() {
        let old = [UInt8](repeating: 0x61, count: TextPatch.maximumBytes - 1)
        #expect(textPatch(from: old, to: old + [0x62], limit: 100) == "@@ -4194300,4 +4194300,5 @@\n aaaa\n+b\n")
        #expect(textPatch(from: old, to: old + [0x62, 0x62], limit: 100) == nil)
    }

    @Test func `texts without common parts get no patch, in bounded time`() {
        var generator = Dice(seed: 7)
        let old = (0..<300_000).map { _ in UInt8.random(in: 0x61...0x7A, using: &generator) }
        let new = (0..<300_000).map { _ in UInt8.random(in: 0x61...0x7A, using: &generator) }
        var steps = 0
        #expect(TextPatch.make(from: old, to: new, limit: 500, steps: &steps) == nil)
        #expect((old.count + new.count...TextPatch.maximumSteps).contains(steps))
    }

    @Test(arguments: 0..<40)
    func `a patch applied at its stated offsets gives the exact new text`(seed: UInt64) throws {
        for (old, new) in TextPairs(seed: seed).pairs {
            guard let text = patch(old, new, limit: TextPairs.limit) else {
                #expect(old == new, "no patch from \(old.debugDescription) to \(new.debugDescription)")
                continue
            }
            #expect(try ExactPatching.apply(text, to: old) == new, "\(text)")
            #expect(patch(old, new, limit: TextPairs.limit) == text)
        }
    }
}
