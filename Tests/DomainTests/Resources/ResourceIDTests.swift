import Domain
import Testing

struct ResourceIDTests {
    private func id(_ path: String) throws -> String {
        ResourceID(of: try TreePath(path)).text
    }

    @Test(arguments: [
        ("js/app.min.js", "js_app.min.js"), ("a_b/c", "a=5Fb_c"), ("a/b_c", "a_b=5Fc"), ("chunk-1.js", "chunk-1.js"),
        ("a=b", "a=3Db"), ("中.js", "=E4=B8=AD.js"), ("a b", "a=20b"), (".well-known/x", ".well-known_x"),
    ])
    func `an id follows from the path`(path: String, expected: String) throws {
        #expect(try id(path) == expected)
        #expect(ResourceID(expected)?.text == expected)
    }

    @Test func `an id of 200 bytes stays whole, and a longer one ends with a hash`() throws {
        let longest = String(repeating: "a", count: 200)
        #expect(try id(longest) == longest)
        let cut = try id(longest + "b")
        #expect(cut.hasPrefix(String(repeating: "a", count: 166) + "=s") && cut.utf8.count == 200)
        #expect(try id(longest + "c") != cut)
        #expect(ResourceID(cut)?.text.utf8.count == ResourceID.maximumLength)
    }

    @Test func `the name of a file has the number last`() throws {
        #expect(try #require(ResourceID("id_mainindexjs")).fileName(4) == "id_mainindexjs-4")
        #expect(try #require(ResourceID("Main")).folded == "main")
    }

    @Test(arguments: ["", "a/b", "a b", "ä", "a\\b", String(repeating: "a", count: 201)])
    func `an id that is unsafe in a file name is refused`(text: String) {
        #expect(ResourceID(text) == nil)
    }
}

struct DottedVersionTests {
    @Test(arguments: [("1.9", "1.10"), ("1", "1.0.1"), ("8.3.0.1174", "8.3.1"), ("0", "0.0.1"), ("02", "3")])
    func `versions are in the order of their numbers`(lower: String, higher: String) throws {
        #expect(try #require(DottedVersion(lower)) < #require(DottedVersion(higher)))
    }

    @Test func `zeros at the end make no difference`() throws {
        #expect(try #require(DottedVersion("1.0.0")) == #require(DottedVersion("1")))
    }

    @Test(arguments: ["", "1.", ".1", "1..2", "1.0-beta", "v1", "1.0+2", "1 ", "٣", "1234567890123456789"])
    func `a version that is not dotted numbers has no order`(text: String) {
        #expect(DottedVersion(text) == nil)
    }

    @Test func `numbers have 18 digits at most`() throws {
        #expect(try #require(DottedVersion("999999999999999999")) > #require(DottedVersion("1")))
    }

    @Test func `a config version is read back as it is written`() throws {
        let version = ResourceConfigVersion(sequence: 1742, version: try Sample.version("4.0.1"))
        #expect(version.description == "1742.4.0.1")
        #expect(ResourceConfigVersion("1742.4.0.1") == version)
    }

    @Test(arguments: [
        "", "1742", "1742.", "x.4.0", "-1.4.0", "01.4.0", "+1.4.0", "1.4.0-beta", "99999999999999999999.4",
    ])
    func `any other text is not a config version`(text: String) {
        #expect(ResourceConfigVersion(text) == nil)
    }
}
