import Domain
import Testing

/// Tests the canonical form of URLs and origins in various spellings.
struct PageURLTests {
    @Test(arguments: [
        ("https://shop.example", "https://shop.example/"),
        ("https://shop.example/", "https://shop.example/"),
        ("HTTPS://Shop.EXAMPLE/Cart", "https://shop.example/Cart"),
        ("https://shop.example:443/a", "https://shop.example/a"),
        ("http://shop.example:80/a", "http://shop.example/a"),
        ("http://shop.example:443/a", "http://shop.example:443/a"),
        ("https://shop.example:80/a", "https://shop.example:80/a"),
        ("https://shop.example:08443/a", "https://shop.example:8443/a"),
        ("https://shop.example:65535", "https://shop.example:65535/"),
        ("https://shop.example?next=/admin", "https://shop.example/"),
        ("https://shop.example#/admin", "https://shop.example/"),
        ("https://shop.example/a?b=../c#d", "https://shop.example/a"),
        ("https://shop.example/a/", "https://shop.example/a/"),
        ("https://shop.example/a?u=https://me@evil.example/", "https://shop.example/a"),
        ("https://xn--fiqs8s.example/%E4%B8%AD", "https://xn--fiqs8s.example/%E4%B8%AD"),
        ("https://shop.example/%e4%b8%ad", "https://shop.example/%E4%B8%AD"),
        ("https://shop.example/%61%7e%2D", "https://shop.example/a~-"),
        ("https://shop.example/a%20b", "https://shop.example/a%20b"),
        ("https://shop.example/a;b=1,2/c:d@e!$&'()*+", "https://shop.example/a;b=1,2/c:d@e!$&'()*+"),
        ("https://shop.example/.well-known/...", "https://shop.example/.well-known/..."),
        ("https://shop.example/a%2Ejs", "https://shop.example/a.js"),
        ("https://shop.example/100%25", "https://shop.example/100%25"),
        ("https://shop_1.example/", "https://shop_1.example/"),
        ("http://127.0.0.1:8080/a", "http://127.0.0.1:8080/a"),
        ("http://localhost/", "http://localhost/"),
        ("https://7shop.1a/", "https://7shop.1a/"),
    ])
    func `a URL is written in one way, without query and fragment`(written: String, one: String) throws {
        let url = try PageURL(written)
        #expect("\(url)" == one)
        #expect(try PageURL(one) == url)
    }

    @Test(arguments: [
        ("", PageFault.scheme), ("shop.example/a", .scheme), ("//shop.example/a", .scheme), ("/a", .scheme),
        ("file:///a", .scheme), ("javascript:alert(1)", .scheme), ("ftp://shop.example/", .scheme),
        ("https:/shop.example", .scheme), ("https:\\\\shop.example", .scheme),
        ("https://me@shop.example/", .userinfo), ("https://me:secret@shop.example/", .userinfo),
        ("https://shop.example@evil.example/", .userinfo), ("https://shop.example:443@evil.example/", .userinfo),
        ("https:///a", .host), ("https://", .host), ("https://:443/", .host), ("https://?a", .host),
        ("https://.example/", .host), ("https://shop..example/", .host), ("https://shop.example./", .host),
        ("https://-shop.example/", .host), ("https://shop-.example/", .host), ("https://shop%2Eexample/", .host),
        ("https://shop*example/", .host), ("https://[::1]/", .host),
        ("http://127.1/", .host), ("http://2130706433/", .host), ("http://0x7f.0.0.1/", .host),
        ("http://127.0.0.0x1/", .host), ("http://0177.0.0.1/", .host), ("http://127.0.0.256/", .host),
        ("http://1.2.3.4.5/", .host), ("http://shop.0x/", .host), ("http://shop.example.7/", .host),
        ("https://shop.example:/", .port), ("https://shop.example:0/", .port), ("https://shop.example:65536/", .port),
        ("https://shop.example:+443/", .port), ("https://shop.example:44a/", .port),
        ("https://shop.example:443:443/", .port), ("https://shop.example:000443/", .port),
        ("https://shop.example\\@evil.example/", .path), ("https://shop.example\\a", .path),
        ("https://shop.example/a\\..\\b", .path), ("https://shop.example/a|b", .path),
        ("https://shop.example/%", .path), ("https://shop.example/%4", .path), ("https://shop.example/%zz", .path),
        ("https://shop.example/%4/1", .path),
        ("https://shop.example/a b", .notASCII), ("https://shop.example/\u{4E2D}", .notASCII),
        ("https://sh\u{F6}p.example/", .notASCII), ("https://shop.example/a\nb", .notASCII),
        ("https://sh\u{FF0E}p.example/", .notASCII), ("https://shop.example/\u{7F}", .notASCII),
        (" https://shop.example/", .notASCII),
        ("https://shop.example//", .emptyPart), ("https://shop.example//a", .emptyPart),
        ("https://shop.example/a//b", .emptyPart),
        ("https://shop.example/.", .dotPart), ("https://shop.example/..", .dotPart),
        ("https://shop.example/a/../b", .dotPart), ("https://shop.example/a/./b", .dotPart),
        ("https://shop.example/a/%2e%2E/b", .dotPart), ("https://shop.example/a/.%2e", .dotPart),
        ("https://shop.example/%2e", .dotPart), ("https://shop.example/a/..;/b", .dotPart),
        ("https://shop.example/a/%2e.;x=1/b", .dotPart), ("https://shop.example/a/..%3B/b", .dotPart),
        ("https://shop.example/a%2fb", .hiddenCharacter), ("https://shop.example/a%2F..%2Fb", .hiddenCharacter),
        ("https://shop.example/a%5cb", .hiddenCharacter), ("https://shop.example/a%00", .hiddenCharacter),
        ("https://shop.example/a%0A", .hiddenCharacter), ("https://shop.example/a%7F", .hiddenCharacter),
        ("https://shop.example/a/%252e%252e/b", .hiddenCharacter), ("https://shop.example/a%252Fb", .hiddenCharacter),
        ("https://shop.example/%C0%AE%C0%AE/", .hiddenCharacter), ("https://shop.example/%FF", .hiddenCharacter),
        ("https://shop.example/%ED%A0%80", .hiddenCharacter),
    ])
    func `an ambiguous URL is not a page URL`(text: String, fault: PageFault) {
        #expect(throws: fault) { try PageURL(text) }
    }

    @Test func `a URL is as long as it may be, and no longer`() throws {
        let start = "https://shop.example/"
        let longest = start + String(repeating: "a", count: PageURL.maximumLength - start.utf8.count)
        #expect("\(try PageURL(longest))" == longest)
        #expect(throws: PageFault.tooLong) { try PageURL(longest + "a") }
        #expect(throws: PageFault.tooLong) { try PageURL(longest + "?") }
    }

    @Test func `a host and its labels are as long as they may be`() throws {
        let label = String(repeating: "a", count: 63)
        let host = "\(label).\(label).\(label).\(label.dropLast(2))"
        #expect(host.utf8.count == 253)
        #expect(try PageOrigin("https://" + host).text.hasSuffix(label.dropLast(2)))
        #expect(throws: PageFault.host) { try PageOrigin("https://\(host)a") }
        #expect(throws: PageFault.host) { try PageOrigin("https://\(label)a.example") }
    }

    @Test(arguments: [
        ("https://Shop.example:443", "https://shop.example"), ("http://shop.example:8080", "http://shop.example:8080"),
    ])
    func `an origin is written in one way`(written: String, one: String) throws {
        #expect(try PageOrigin(written).text == one)
    }

    @Test(arguments: ["https://shop.example/", "https://shop.example/a", "https://shop.example?", "https://a#b"])
    func `text after an origin is refused`(text: String) {
        #expect(throws: PageFault.notOnlyOrigin) { try PageOrigin(text) }
    }

    // MARK: Paths

    @Test(arguments: [
        ("/a/b", "/a/b", true), ("/a/b", "/a/b/", true), ("/a/b", "/a/b/c", true), ("/a/b/", "/a/b", true),
        ("/a/b", "/a/bc", false), ("/a/b", "/a", false), ("/a/b", "/a/B", false), ("/a/b", "/x/a/b", false),
        ("/a/b", "/a/b;c", false), ("/", "/", true), ("/", "/a", true), ("/%61", "/a/b", true),
        ("/a%20b", "/a%20b/c", true), ("/a.html", "/a.html", true), ("/a.html", "/a.htm", false),
    ])
    func `a path prefix matches whole parts only`(prefix: String, path: String, leads: Bool) throws {
        #expect(try PagePath(prefix).prefix().covers(PagePath(path)) == leads)
    }

    @Test(arguments: [
        ("", PageFault.path), ("a", .path), ("/a?b", .path), ("/a#b", .path), ("/a*|", .path), ("/a//b", .emptyPart),
        ("/a/..", .dotPart), ("/a%2fb", .hiddenCharacter),
    ])
    func `an invalid path of a page is refused`(text: String, fault: PageFault) {
        #expect(throws: fault) { try PagePath(text) }
    }

    @Test func `a grant is so deep and no deeper`() throws {
        let deepest = String(repeating: "/a", count: PagePath.maximumPrefixParts)
        #expect(try PagePath(deepest + "/").prefix().text == deepest)
        #expect(throws: PageFault.tooDeep) { try PagePath(deepest + "/a").prefix() }
    }
}
