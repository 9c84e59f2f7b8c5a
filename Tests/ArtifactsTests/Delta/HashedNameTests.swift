import Testing

@testable import Artifacts

struct HashedNameTests {
    @Test(
        arguments: [
            ("news/1036.4adf7509135ea39ecb91.js", "4adf7509135ea39ecb91"),
            ("1036.4adf7509135ea39ecb91.js.LICENSE.txt", "4adf7509135ea39ecb91"),
            ("1cb1c39ea642f26a4dfe.woff", "1cb1c39ea642f26a4dfe"), ("assets/index-C35vpr6y.js", "C35vpr6y"),
            ("a/index-Dk4-xx_y.css", "Dk4-xx_y"), ("main.C35vpr6y.js", "C35vpr6y"), ("app-3f9a8b7c.css", "3f9a8b7c"),
            ("app_3f9a8b7c01.css", "3f9a8b7c01"),
        ])
    func `the hash in a name is found`(path: String, hash: String) throws {
        let token = try #require(HashedName(path).token)
        #expect(String(decoding: Array(path.utf8)[token], as: UTF8.self) == hash)
    }

    @Test(
        arguments: [
            "index.html", "4adf7509135ea39ecb91/index.js", "async-dropdown.js", "user-settings.js", "jquery-3.6.0.js",
            "deadbeef.js", "a-1234567.js",
        ])
    func `a name without one has none`(path: String) {
        #expect(HashedName(path).token == nil)
        #expect(HashedName(path).stem == Array(path.utf8))
    }

    @Test func `a chunk has the same stem in two versions`() {
        #expect(HashedName("a/index-C35vpr6y.js").stem == HashedName("a/index-Dk4-xx_y.js").stem)
        #expect(HashedName("a/index-C35vpr6y.js").stem != HashedName("b/index-C35vpr6y.js").stem)
    }
}

struct TokenMapTests {
    private func map(_ pairs: [(String, String)]) -> TokenMap {
        var map = TokenMap()
        for (old, new) in pairs {
            let isTaken = map.add(Array(old.utf8), Array(new.utf8))
            #expect(isTaken)
        }
        return map
    }

    private func replaced(_ text: String, by map: TokenMap) -> String? {
        Array(text.utf8).withUnsafeBytes { map.replaced($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `old tokens become new ones wherever they stand, once`() {
        let map = map([("abcd1234", "efgh5678"), ("efgh5678", "zzzz0000"), ("1111", "2222")])
        #expect(replaced("abcd1234", by: map) == "efgh5678")
        #expect(replaced("x.abcd1234efgh5678.11111y", by: map) == "x.efgh5678zzzz0000.22221y")
        #expect(replaced("abcd123", by: map) == nil)
        #expect(replaced("", by: map) == nil)
    }

    @Test func `a token pair that is ambiguous or unfit is refused`() {
        var map = map([("abcd1234", "efgh5678")])
        let pairs = [
            ("abcd1234", "efgh5678", true), ("abcd1234", "xxxxxxxx", false), ("abcd", "xxxx", false),
            ("abcd12345", "xxxxxxxxx", false), ("longer12", "longer123", false), ("a.cd", "efgh", false),
            ("abc", "efg", false), (String(repeating: "a", count: 64), String(repeating: "b", count: 64), true),
            (String(repeating: "c", count: 65), String(repeating: "d", count: 65), false),
        ]
        for (old, new, isTaken) in pairs {
            let wasTaken = map.add(Array(old.utf8), Array(new.utf8))
            #expect(wasTaken == isTaken, "\(old) → \(new)")
        }
        #expect(replaced("abcd1234", by: map) == "efgh5678")
    }
}
