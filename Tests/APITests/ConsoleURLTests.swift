import API
import Testing

/// Tests the URL of the console that the start of a server shows.
struct ConsoleURLTests {
    @Test(arguments: [
        ("http://127.0.0.1:8080", "http://localhost:8080/console/"),
        ("http://127.0.0.1", "http://localhost/console/"),
        ("https://127.0.0.1:8443", "https://127.0.0.1:8443/console/"),
        ("http://127.0.0.1.example:80", "http://127.0.0.1.example:80/console/"),
        ("https://larder.example/base", "https://larder.example/base/console/"),
    ])
    func `the URL of the console has the name for which browsers keep its session`(url: String, shown: String) throws {
        #expect(try #require(PublicURL(url)).consoleURL == shown)
    }
}
