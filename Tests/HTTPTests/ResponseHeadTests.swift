import HTTP
import Testing

struct ResponseHeadTests {
    @Test func `a prepared response declares its length, unless its status has no body`() {
        let full = PreparedResponse(.ok, fields: [.etag: "\"a\""], body: [1, 2, 3])
        #expect(String(decoding: full.head, as: UTF8.self) == "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 3\r\n")
        let bare = PreparedResponse(.notModified, fields: [:], body: [1])
        #expect(String(decoding: bare.head, as: UTF8.self) == "HTTP/1.1 304 Not Modified\r\n")
        #expect(bare.bytes == [])
    }

    @Test func `a line break in a value begins no field`() {
        var bytes: [UInt8] = []
        Response(.ok, fields: [.location: "/a\r\nSet-Cookie: b"]).writeHead(.chunked, to: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "HTTP/1.1 200 OK\r\nLocation: /a  Set-Cookie: b\r\nTransfer-Encoding: chunked\r\n")
    }
}
