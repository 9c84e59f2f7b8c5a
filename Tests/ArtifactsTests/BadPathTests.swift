import Domain
import Ground
import TestKit
import Testing

@Suite(.ownThread)
struct BadPathTests {
    @Test(arguments: [
        ("../a", "path-traversal"), ("a/../b", "path-traversal"), ("a/./b", "path-traversal"), ("..", "path-traversal"),
        ("/etc/passwd", "path-absolute"), ("C:/a", "path-drive-letter"), ("a\\b", "path-backslash"),
        ("..\\a", "path-backslash"), ("a//b", "path-empty-part"), ("a\u{1}b", "path-control-character"),
        ("a\u{7F}", "path-control-character"), ("a\u{0}.txt", "path-control-character"), ("", "path-empty"),
        ("../", "path-traversal"),
    ])
    func `paths that leave the package or that devices cannot hold are refused`(name: String, reason: String) throws {
        let refusal = try Unpacking.refusal(of: [.stored("ok"), .stored(name, [])])
        #expect(refusal?.reason == reason)
        #expect(refusal?.entry != nil)
    }

    @Test func `a name that is not utf-8 is refused and shown as far as it can be`() throws {
        let entry = CraftedZip.Entry.stored("").with { $0.name = [0x61, 0xFF, 0x1B] }
        #expect(try Unpacking.refusal(of: [entry]) == Refusal("path-not-utf8", "a\u{FFFD}\u{FFFD}"))
    }

    @Test(arguments: [("path-too-long", 5, 170), ("path-part-too-long", 1, 255)])
    func `paths are accepted up to the longest`(reason: String, parts: Int, length: Int) throws {
        let whole = (0..<parts).map { _ in String(repeating: "p", count: length) } + (parts > 1 ? [] : ["q"])
        var path = whole.joined(separator: "/")
        if parts > 1 { path += "/" + String(repeating: "p", count: 1024 - path.utf8.count - 1) }
        #expect(try Unpacking().paths(of: [.stored(path)]) == [path])
        #expect(try Unpacking.refusal(of: [.stored("p" + path)])?.reason == reason)
    }

    @Test func `paths are accepted up to the deepest`() throws {
        let path = Array(repeating: "d", count: 32).joined(separator: "/")
        #expect(try Unpacking().paths(of: [.stored(path)]) == [path])
        #expect(try Unpacking.refusal(of: [.stored("d/" + path)])?.reason == "path-too-deep")
    }

    @Test(arguments: [
        ("a", "a", "duplicate-path"), ("cafe\u{301}", "caf\u{E9}", "duplicate-path"), ("A", "a", "path-collision"),
        ("Straße/A", "straße/b", "path-collision"), ("a", "a/b", "path-collision"), ("A", "a/b", "path-collision"),
        ("a", "a/\u{301}b", "path-collision"), ("A/\u{301}", "a/\u{301}", "path-collision"),
        ("E\u{301}", "\u{E9}", "path-collision"), ("ς", "σ", "path-collision"), ("ſ", "s", "path-collision"),
        ("\u{B5}", "\u{3BC}", "path-collision"), ("ß", "ss", "path-collision"), ("ﬁ", "fi", "path-collision"),
    ])
    func `paths that collide on some device are refused`(first: String, second: String, reason: String) throws {
        #expect(try Unpacking.refusal(of: [.stored(first), .stored(second)])?.reason == reason)
        #expect(try Unpacking.refusal(of: [.stored(second), .stored(first)])?.reason == reason)
    }

    @Test(
        arguments: [
            (0o120777, "symlink"), (0o020644, "special-file"), (0o060644, "special-file"), (0o010644, "special-file"),
            (0o140755, "special-file"), (0o040755, "headers-disagree"),
        ] as [(UInt32, String)])
    func `entries other than files and folders are refused`(mode: UInt32, reason: String) throws {
        let entry = CraftedZip.Entry.stored("link").with { $0.mode = mode }
        #expect(try Unpacking.refusal(of: [entry]) == Refusal(reason, "link"))
        // The result does not depend on the system that the entry states.
        #expect(try Unpacking.refusal(of: [entry.with { $0.madeBy = 20 }]) == Refusal(reason, "link"))
    }
}
