import Client
import Testing
import Transport

struct HTTPURLTests {
    @Test(arguments: [
        ("http://example.org", "example.org", 80, "/"),
        ("HTTP://example.org:8080/a?b=1", "example.org", 8080, "/a?b=1"),
        ("http://[::1]:9/x", "::1", 9, "/x"),
        ("http://example.org?x", "example.org", 80, "/?x"),
    ])
    func `a URL is parsed into its parts`(text: String, host: String, port: UInt16, target: String) throws {
        let url = try HTTPURL(text)
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.target == target)
    }

    @Test(arguments: [
        "example.org", "http://", "http://:80/", "http://a b/", "http://a/#x", "http://u@a/", "http://a:0/",
        "http://a:65536/", "http://a:x/", "http://[1.2.3.4]/", "http://例.org/",
    ])
    func `an unusable URL is refused`(text: String) {
        #expect(throws: TransportError.invalidURL(text)) { try HTTPURL(text) }
    }

    @Test func `https has its own port`() throws {
        let url = try HTTPURL("HTTPS://example.org/a?b")
        #expect(url.isSecure && url.port == 443 && url.authority == "example.org")
        #expect(url.description == "https://example.org/a?b")
        #expect(try HTTPURL("https://example.org:80").appending("/x").description == "https://example.org:80/x")
    }

    @Test func `other schemes are refused in plain words`() {
        let error = #expect(throws: TransportError.self) { try HTTPURL("ftp://example.org/") }
        #expect(error == .unsupportedScheme("ftp"))
        #expect(error?.description.contains("http:// or https://") == true)
    }

    @Test func `a path is put after the base's own, without doubled slashes`() throws {
        #expect(try HTTPURL("http://a/apps/x/").appending("/config").target == "/apps/x/config")
        #expect(try HTTPURL("http://a").appending("/config?x=1").description == "http://a/config?x=1")
    }
}
