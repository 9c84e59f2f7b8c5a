import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests page grants as seed 001's container requests them, with raw bytes (clients.md §1.1).
    @Suite struct Seed001WireTests {
        @Test func `a grant has its exact length and no cache keeps it, granted or refused`() throws {
            let server = try Server()
            let made = try server.call(
                "PUT", "/apps/default/page-grants/cart",
                """
                {"origin": "https://shop.example", "path": "/cart", "apis": ["camera"], \
                "expires": "2999-01-01T00:00:00Z"}
                """)
            try #require(made.status == 201, "\(made.text)")
            func ask(_ page: String, version: String = "1.1") throws -> WireResponse {
                try server.exchange("GET", "/permissions?url=https%3A%2F%2F\(page)&nonce=abc", version: version)
            }
            for version in ["1.1", "1.0"] {
                let response = try ask("shop.example%2Fcart", version: version)
                #expect(response.statusLine == "HTTP/1.1 200 OK" && response.text.contains("\"camera\""))
                #expect(response.values(of: "Content-Type") == ["application/json"])
                #expect(response.values(of: "Cache-Control") == ["no-store"])
                #expect(response.values(of: "Access-Control-Allow-Origin") == ["*"])
                #expect(!response.has("ETag") && !response.has("Last-Modified"))
                response.expectExactLength()
            }
            let refused = try ask("evil.example%2Fcart")
            refused.expectProblem("403 Forbidden")
            #expect(refused.values(of: "Access-Control-Allow-Origin") == ["*"])
            try server.exchange("GET", "/permissions").expectProblem("400 Bad Request")
        }

        @Test func `the keys that verify a grant are revalidated each time, and cost only a head if unchanged`()
            throws
        {
            let server = try Server()
            let keys = try server.exchange("GET", "/keys.json")
            #expect(keys.statusLine == "HTTP/1.1 200 OK" && keys.values(of: "Cache-Control") == ["no-cache"])
            keys.expectExactLength()
            try server.expectNotModified("/keys.json")
            try server.expectHeadOfGet("/keys.json")
        }
    }
}
