import Domain
import Testing

struct URLPatternTests {
    @Test(arguments: [
        "^https://[^/]+/news/app\\.js$", "a|b", "(?:a+?|b*)?c{2}d{1,}e{0,3}?", "[a-z0-9_.-]", "[^\\]\\\\-]", "[-a]",
        "[a-]",
        "(?=a)b(?!c)", "\\d\\D\\w\\W\\s\\S\\t\\n\\r\\f\\x4a\\u004A\\.\\/\\-", "\\bnews\\B", "", "|",
        String(repeating: "(", count: 16) + "a" + String(repeating: ")", count: 16), "é", "a{1000}", "[a&b]", "()",
    ])
    func `a pattern that all engines read alike is accepted`(text: String) throws {
        guard !text.isEmpty else {
            #expect(throws: URLPattern.Fault.self) { try URLPattern(text) }
            return
        }
        #expect(try URLPattern(text).text == text)
    }

    @Test(arguments: [
        ("a(b", "not closed"), ("a)b", "closes no group"), ("[a", "class"), ("[]", "class"), ("[^]", "class"),
        ("a]", "'\\]'"),
        ("a}", "'\\}'"), ("a{", "'\\{'"), ("a{x}", "'\\{'"), ("a{2,1}", "count"), ("a{1001}", "count"),
        ("a{1", "count"),
        ("*a", "repeated"), ("a**", "repeated"), ("a++", "repeated"), ("^*", "repeated"), ("(?=a)*", "repeated"),
        ("(*a)", "repeated"),
        ("a|*", "repeated"), ("(?<n>a)", "'(?:'"), ("(?<=a)b", "'(?:'"), ("(?i)a", "'(?:'"), ("\\", "ends with"),
        ("\\p{L}", "'\\p'"), ("\\1", "'\\1'"), ("\\Qa", "'\\Q'"), ("\\x4", "hex"), ("\\u00G0", "hex"),
        ("[b-a]", "range"),
        ("[a-\\d]", "range"), ("[a[b]]", "'\\['"), ("[a&&b]", "'&&'"), ("[+--b]", "'--'"), ("[\\b]", "'\\b'"),
        ("a\nb", "control"),
    ])
    func `a pattern that some engine reads differently is refused`(text: String, word: String) throws {
        let fault = #expect(throws: URLPattern.Fault.self) { try URLPattern(text) }
        #expect(fault?.message.contains(word) == true, "\(fault?.message ?? "")")
    }

    @Test func `groups lie 16 deep and no deeper, and a pattern has 2,048 bytes and no more`() throws {
        let deep = String(repeating: "(", count: 17) + String(repeating: ")", count: 17)
        #expect(throws: URLPattern.Fault.self) { try URLPattern(deep) }
        #expect(try URLPattern(String(repeating: "a", count: 2048)).text.utf8.count == URLPattern.maximumLength)
        #expect(throws: URLPattern.Fault.self) { try URLPattern(String(repeating: "a", count: 2049)) }
    }

    @Test(arguments: [
        // Nested repetitions, or repetitions with two paths.
        ("^(a+)+$", "several ways"), ("^(?:a|a)*$", "several ways"), ("^(?:a|aa)+$", "several ways"),
        ("^(?:[a-z]+)*\\.js$", "several ways"), ("^(?:.+/)+x$", "several ways"), ("^(?:\\w+\\s?)*$", "several ways"),
        ("^(?:ab|a|b)*$", "several ways"), ("^(?:a+){20}$", "several ways"), ("^(?:a{1,30}){1,30}$", "several ways"),
        ("^(?=(?:a+)+b)", "several ways"), ("^(?:\\W|\\u00e9)*$", "several ways"),
        ("^(?:[^a]|[b-d])*$", "several ways"),
        ("^(?:\\x61|a)*$", "several ways"),
        // Repetitions of the empty text.
        ("^(a*)*$", "match the empty text"), ("^(?:a?){2}$", "match the empty text"),
        ("(?:a?|b*)*x", "match the empty text"),
        ("(?:\\b)+", "match the empty text"), ("(?:(?=a))+", "match the empty text"),
        // Many optional parts.
        ("^" + String(repeating: "a?", count: 14) + "a{14}$", "4 optional parts"),
        ("^" + String(repeating: "(?:a|a)", count: 9) + "$", "4 optional parts"),
        // The third power of the length.
        ("^.*a.*b.*c$", "3 repetitions"), ("a.*b.*c$", "3 repetitions"), (".*news.*\\.js", "3 repetitions"),
        ("^\\d+\\w*[a-z0-9]+x$", "3 repetitions"), ("^.*a.*(?=.*b)", "3 repetitions"),
        // Too large to be checked.
        ("^(?:(?:(?:a{16}){16}){16})$", "too large"), (String(repeating: "a?", count: 1000), "too large"),
    ])
    func `a pattern that may be too slow on devices is refused, and a stored one is read`(
        text: String, word: String
    ) throws {
        let fault = #expect(throws: URLPattern.Fault.self) { try URLPattern(text) }
        #expect(fault?.message.contains(word) == true, "\(fault?.message ?? "")")
        #expect(try URLPattern(stored: text).text == text)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a lookahead is checked once, however often the group around it is repeated`() throws {
        let text = "(?:(?:a(?=(?:(?:b(?=(?:(?:c(?=d)){16}){16})){16}){16})){16}){16}"
        #expect(try URLPattern(text).text == text)
    }

    @Test func `the lookaheads of a pattern share its budget`() throws {
        let lookahead = "(?=h" + String(repeating: "/[^/]*", count: 25) + ")"
        #expect(try URLPattern("^" + lookahead).text.isEmpty == false)
        let fault = #expect(throws: URLPattern.Fault.self) {
            try URLPattern("^" + String(repeating: lookahead, count: 12))
        }
        #expect(fault?.message.contains("too many parts") == true, "\(fault?.message ?? "")")
    }

    @Test func `empty parts count toward the size limit in every repetition`() {
        let fault = #expect(throws: URLPattern.Fault.self) {
            try URLPattern("(?:(?:(?:a" + String(repeating: "()", count: 900) + "){16}){16}){8}")
        }
        #expect(fault?.message.contains("too large") == true, "\(fault?.message ?? "")")
    }

    @Test func `the fault names the repetition`() {
        let fault = #expect(throws: URLPattern.Fault.self) { try URLPattern("^https://h/(?:[^?]+/)*x$") }
        #expect(fault?.message.contains("'(?:[^/]+/)*' (character 22)") == true, "\(fault?.message ?? "")")
    }

    @Test(arguments: [
        "^https://[^/]+/(?:[^/]+/)*app\\.js$", "^https?://(?:[a-z0-9-]+\\.)*example\\.com/.*\\.js(?:\\?.*)?$",
        "^https://.*/news/.*\\.js(\\?.*)?$", ".*\\.js$", "news/.*\\.js", "^https://[^/]+(?:/[^/?#]+)+$",
        "^(?:(?!news).)*$", "^(?:foo|bar)+$", "^(?:[a-z]+[0-9]+)*$", "^https://h/(?:[a-z]{1,8}/){1,8}x$",
        "^https?://(?:www\\.)?(?:m\\.)?h(?::\\d+)?/[0-9a-f]{32}\\.(?:js|css|jpe?g)(?:[?#].*)?$",
        "^(?:a?){1}b{0}c{0,1}$",
        "^" + String(repeating: "(?:a|a)", count: 8) + "$",
        "a{16}b{17}c{16,}d{2,40}",
        "^https://h" + String(repeating: "/[^/]*", count: 30) + "$",
    ])
    func `a pattern with one way through each text, or few, is accepted`(text: String) throws {
        #expect(try URLPattern(text).text == text)
    }

    @Test(arguments: [
        "https://example.com/news/js/app.js", "http://h:8080/news/js/app.js?v=1", "app://x/news/js/app.js#top",
    ])
    func `by default a file matches its path on any host and with any query`(url: String) throws {
        let pattern = URLPattern(of: try TreePath("js/app.js"), below: try Sample.prefix("/news/"), isEntry: false)
        #expect(try url.wholeMatch(of: Regex(pattern.text)) != nil)
    }

    @Test(arguments: [
        "https://example.com/news/js/appXjs", "https://example.com/other/news/js/app.js",
        "https://example.com/news/js/app.js.map",
        "https://example.com/?u=/news/js/app.js", "/news/js/app.js", "https://example.com/news/",
    ])
    func `a file does not match other URLs`(url: String) throws {
        let pattern = URLPattern(of: try TreePath("js/app.js"), below: try Sample.prefix("/news/"), isEntry: false)
        #expect(try url.firstMatch(of: Regex(pattern.text)) == nil)
    }

    @Test(arguments: ["https://h/news", "https://h/news/", "https://h/news/?a", "https://h/news/index.html#b"])
    func `the entry page matches the prefix as well`(url: String) throws {
        let pattern = URLPattern(of: .index, below: try Sample.prefix("/news/"), isEntry: true)
        #expect(try url.wholeMatch(of: Regex(pattern.text)) != nil)
        #expect(try "https://h/newspaper".firstMatch(of: Regex(pattern.text)) == nil)
    }

    @Test func `the entry page of the root prefix matches the host alone`() throws {
        let pattern = URLPattern(of: .index, below: .root, isEntry: true)
        for url in ["https://h", "https://h/", "https://h/index.html"] {
            #expect(try url.wholeMatch(of: Regex(pattern.text)) != nil, "\(url)")
        }
        #expect(try "https://h/x".firstMatch(of: Regex(pattern.text)) == nil)
    }

    @Test(arguments: [
        ("img/a@2x (1).png", "https://h/img/a@2x%20(1).png"),
        ("img/a@2x (1).png", "https://h/img/a%402x%20%281%29.png"),
        ("中.html", "https://h/%E4%B8%AD.html"), ("a+b[c]$^|*.js", "https://h/a+b[c]$^|*.js"),
    ])
    func `escapes are as browsers write them`(path: String, url: String) throws {
        let pattern = URLPattern(of: try TreePath(path), below: .root, isEntry: false)
        #expect(try url.wholeMatch(of: Regex(pattern.text)) != nil)
        // A pattern that is generated here is accepted.
        #expect(try URLPattern(pattern.text) == pattern)
    }
}
