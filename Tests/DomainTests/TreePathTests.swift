import Domain
import Testing

struct TreePathTests {
    @Test(arguments: [
        ("", TreePath.Fault.empty), ("/a", .absolute), ("/", .absolute), ("C:", .driveLetter), ("c:/a", .driveLetter),
        ("1:a", .driveLetter), ("a:b", .driveLetter), ("a\\b", .backslash), ("\\", .backslash), ("..", .traversal),
        ("../a", .traversal),
        ("a/..", .traversal), ("a/../b", .traversal), (".", .traversal), ("./a", .traversal), ("a/./b", .traversal),
        ("a//b", .emptyPart), ("a/", .emptyPart), ("a\u{0}b", .controlCharacter), ("a\nb", .controlCharacter),
        ("a\u{7F}", .controlCharacter), ("a\u{1F}", .controlCharacter),
    ])
    func `a path that is not a plain relative one is refused`(text: String, fault: TreePath.Fault) {
        #expect(throws: fault) { try TreePath(text) }
        #expect(throws: fault) { try TreePath(validating: Array(text.utf8)) }
    }

    @Test(arguments: [
        "a", "a/b/c", "...", ".well-known/x", "..a", "a..", "a b", "中文/页.html", "ab:c", "~", "a?b#c%2e", "😀",
    ])
    func `any other path is kept as it is`(text: String) throws {
        #expect(try TreePath(text).text == text)
    }

    @Test(arguments: [[0xFF], [0x61, 0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80]] as [[UInt8]])
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        #expect(throws: TreePath.Fault.notUTF8) { try TreePath(validating: bytes) }
    }

    @Test func `a part has 255 bytes at most`() throws {
        let part = String(repeating: "x", count: TreePath.maximumPartLength)
        #expect(try TreePath("a/\(part)/b").text.utf8.count == 259)
        #expect(throws: TreePath.Fault.partTooLong) { try TreePath("a/\(part)x/b") }
        // The limit is in bytes: 85 characters of three bytes each fit.
        #expect(throws: Never.self) { try TreePath(String(repeating: "页", count: 85)) }
        #expect(throws: TreePath.Fault.partTooLong) { try TreePath(String(repeating: "页", count: 86)) }
    }

    @Test func `a path has 1024 bytes at most`() throws {
        let longest = Array(repeating: String(repeating: "x", count: 127), count: 8).joined(separator: "/") + "y"
        #expect(longest.utf8.count == TreePath.maximumLength)
        #expect(try TreePath(longest).text == longest)
        #expect(throws: TreePath.Fault.tooLong) { try TreePath(longest + "z") }
    }

    @Test func `paths are normalised to NFC`() throws {
        let composed = try TreePath("caf\u{E9}.html")
        let decomposed = try TreePath("cafe\u{301}.html")
        #expect(decomposed == composed)
        #expect(Array(decomposed.text.utf8) == Array("caf\u{E9}.html".utf8))
        // A character whose NFC is longer than itself.
        #expect(Array(try TreePath("\u{958}").text.unicodeScalars) == ["\u{915}", "\u{93C}"])
        // Hangul, and marks out of order.
        #expect(Array(try TreePath("\u{1112}\u{1161}\u{11AB}").text.unicodeScalars) == ["\u{D55C}"])
        #expect(Array(try TreePath("a\u{301}\u{323}").text.unicodeScalars) == ["\u{1EA1}", "\u{301}"])
    }

    @Test func `paths are sorted by their bytes`() throws {
        let sorted = ["B", "a", "a-b", "a/b", "a0", "ab", "é", "\u{FF5E}", "😀"]
        #expect(try sorted.shuffled().map { try TreePath($0) }.sorted().map(\.text) == sorted)
    }

    @Test func `a path has 32 parts at most`() throws {
        let deepest = Array(repeating: "d", count: TreePath.maximumDepth).joined(separator: "/")
        #expect(try TreePath(deepest).parts.count == 32)
        #expect(throws: TreePath.Fault.tooDeep) { try TreePath("d/" + deepest) }
    }

    @Test func `an accent behind a slash does not hide it`() throws {
        let path = try TreePath("a/\u{301}b/\u{20E3}")
        #expect(path.parts == ["a", "\u{301}b", "\u{20E3}"])
        #expect(path.splitFirst?.folder == "a")
        #expect(path.splitFirst?.rest.parts == ["\u{301}b", "\u{20E3}"])
    }

    @Test func `a path knows its parts`() throws {
        #expect(try TreePath("a/b/c").parts == ["a", "b", "c"])
        #expect(try TreePath("a").parts == ["a"])
        #expect(try TreePath("a").under("news").text == "news/a")
    }
}

struct URLPrefixTests {
    @Test(arguments: [
        ("/", "/"), ("/news", "/news/"), ("/news/", "/news/"), ("/a/b", "/a/b/"), ("/新闻", "/新闻/"),
        ("/a%20b/", "/a%20b/"), ("/...", "/.../"), ("/cafe\u{301}", "/caf\u{E9}/"),
    ])
    func `a prefix begins and ends with a slash`(text: String, whole: String) {
        #expect(URLPrefix(text).map { Array($0.text.utf8) } == Array(whole.utf8))
    }

    @Test(arguments: [
        "", "news", "news/", "//", "/a//b", "//a", "/a/./b", "/a/../b", "/..", "/a?b", "/a#b", "/a\\b", "/a b",
        "/a\u{0}", "/a\u{7F}", "http://host/",
    ])
    func `a prefix that is not a plain absolute path is refused`(text: String) {
        #expect(URLPrefix(text) == nil)
    }

    @Test func `a prefix has 512 bytes at most`() {
        let longest = "/" + String(repeating: "a", count: URLPrefix.maximumLength - 2)
        #expect(URLPrefix(longest + "/") != nil)
        #expect(URLPrefix(longest) != nil)
        #expect(URLPrefix(longest + "a") == nil)
    }
}
