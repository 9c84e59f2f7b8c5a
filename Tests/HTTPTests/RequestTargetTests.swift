import HTTP
import Testing

/// Returns the status with which a complete head is rejected, or 200.
func status(_ text: String) -> Int {
    do throws(HeadError) {
        _ = try RequestHead(parsing: text)
        return 200
    } catch {
        return error.status.code
    }
}

struct RequestTargetTests {
    @Test(arguments: [
        ("http://a.example/b?c", "/b", "c", "a.example"), ("HTTPS://a:80?q=1", "/", "q=1", "a:80"),
        ("http://[::1]:8080", "/", "", "[::1]:8080"), ("http://a//b", "//b", "", "a"), ("http://a:/", "/", "", "a:"),
    ])
    func `an absolute target's authority is the Host`(target: String, path: String, query: String, host: String) throws
    {
        let head = try RequestHead(parsing: "GET \(target) HTTP/1.1\r\nA: b\r\nhost: other\r\nC: d\r\n\r\n")
        #expect(head.path == path)
        #expect(String(decoding: head.bytes[head.queryRange], as: UTF8.self) == query)
        #expect(head[.host] == host)
        #expect(head["A"] == "b")
        #expect(head["C"] == "d")
    }

    @Test func `an absolute target does not excuse a bad Host or none`() {
        #expect(status("GET http://a/ HTTP/1.1\r\n\r\n") == 400)
        #expect(status("GET http://a/ HTTP/1.1\r\nHost: b/c\r\n\r\n") == 400)
        #expect(status("GET http://a/ HTTP/1.1\r\nHost: b\r\nHost: b\r\n\r\n") == 400)
        #expect(status("GET http://a/ HTTP/1.0\r\n\r\n") == 200)
    }

    @Test(arguments: [
        "http://", "http:///a", "http://?a", "http://:80/", "http://u@a/", "http://u:p@a/", "http://a,b/",
        "http://a:b/",
        "http://a:65536/", "http://[::1/", "http://a\\b/", "ftp://a/", "httpx://a/", "http:/a", "file:///a", "a/b",
        "a:80",
        "?a", "*a", "**", ".", "h", "example.com:80",
    ])
    func `any other form of target is malformed`(target: String) {
        #expect(status("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n") == 400)
    }

    @Test func `the asterisk is for OPTIONS alone`() throws {
        let head = try RequestHead(parsing: "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(head.path == "*")
        for method in ["GET", "POST", "options", "HEAD"] {
            #expect(status("\(method) * HTTP/1.1\r\nHost: h\r\n\r\n") == 400)
        }
        #expect(status("OPTIONS *? HTTP/1.1\r\nHost: h\r\n\r\n") == 400)
    }

    @Test(arguments: ["h:80", "h", "/", "http://h/"]) func `CONNECT gets 501`(target: String) {
        #expect(status("CONNECT \(target) HTTP/1.1\r\nHost: h\r\n\r\n") == 501)
    }

    @Test(arguments: [
        "", "h", "a.example", "A-b_c~.example:8080", "127.0.0.1:80", "h:", "h:0", "h:65535", "[::1]",
        "[2001:DB8::1]:443",
        "[::ffff:10.0.0.1]", "a%20b", "a!$&'()*+;=b",
    ])
    func `a Host is a host with or without a port`(host: String) throws {
        let head = try RequestHead(parsing: "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(head[.host] == host)
    }

    @Test(arguments: [
        "a b", "a\tb", "a,b", "a/b", "a?b", "a#b", "a@b", "u:p@a", "a\\b", "\"a\"", "<a>", "a|b", "a^b", "`a`", "{a}",
        "http://a",
        "a:b", "a:8x", "a:65536", "a:99999999999999999999", "a:-1", "a:1:2", ":", ":80", "[]", "[:]", "[::1", "::1",
        "[::1]a", "[::1]80",
        "[::g]", "[1:2:3:4:5:6:7:8:9]", "[a]b", "a[::1]", "a]", "a%", "a%2", "a%zz", "é", "\u{FFFD}",
        "[::0000000000000000000000000000000000000000000.0]",
    ])
    func `any other Host is malformed`(host: String) {
        #expect(status("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n") == 400)
    }

    @Test func `a Host's bytes are those of a registered name`() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+;=".utf8)
        for byte in UInt8(0x21)..<0x7F {
            let host = "a\(UnicodeScalar(byte))a"
            // A colon begins a port, which has no letters, and a percent sign an escape, which is malformed here.
            #expect(
                status("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n") == (allowed.contains(byte) ? 200 : 400), "\(host)")
        }
    }

    @Test func `HTTP 1,1 has one Host, HTTP 1,0 at most one`() {
        #expect(status("GET / HTTP/1.1\r\n\r\n") == 400)
        #expect(status("GET / HTTP/1.0\r\n\r\n") == 200)
        for version in ["1.0", "1.1"] {
            #expect(status("GET / HTTP/\(version)\r\nHost: h\r\n\r\n") == 200)
            #expect(status("GET / HTTP/\(version)\r\nHost: h\r\nHost: h\r\n\r\n") == 400)
            #expect(status("GET / HTTP/\(version)\r\nHost:\r\nhOsT:\r\n\r\n") == 400)
        }
    }
}
