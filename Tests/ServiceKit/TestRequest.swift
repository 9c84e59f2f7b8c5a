package import HTTP
import TestKit
import Testing

/// A request of a test.
package struct TestRequest: Sendable {
    package var method: String
    package var target: String
    package var fields: [(name: String, value: String)]
    /// The body; `nil` for none.
    package var body: [UInt8]?
    /// The number of bytes that arrive at a time.
    package var pieceSize = 60_000
    package var client = PeerAddress.local
    package var host = "larder.example"

    package init(
        _ method: String, _ target: String, fields: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }

    /// Returns the request with an operator's token.
    package func by(_ token: String) -> TestRequest {
        with("Authorization", "Bearer \(token)")
    }

    package func with(_ name: String, _ value: String) -> TestRequest {
        var request = self
        request.fields.append((name, value))
        return request
    }

    /// Returns the request from an address.
    package func from(_ client: PeerAddress) -> TestRequest {
        var request = self
        request.client = client
        return request
    }

    /// Returns the request to another host.
    package func at(_ host: String) -> TestRequest {
        var request = self
        request.host = host
        return request
    }

    package func cut(into pieceSize: Int) -> TestRequest {
        var request = self
        request.pieceSize = pieceSize
        return request
    }

    /// The head, parsed from these bytes.
    package var head: RequestHead {
        get throws {
            var text = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n"
            if let body { text += "Content-Length: \(body.count)\r\n" }
            for (name, value) in fields { text += "\(name): \(value)\r\n" }
            let bytes = Array((text + "\r\n").utf8)
            var parser = HeadParser()
            var head = RequestHead()
            let outcome = try parser.parse(bytes, 0..<bytes.count, into: &head)
            try #require(outcome == .complete(end: bytes.count))
            head.client = client
            return head
        }
    }
}

/// A body that arrives in pieces, and records whether it was read.
package final class TestBody: BodySource {
    private let limit: Int
    private let whole: [UInt8]
    private let pieceSize: Int
    private let position = Counter()

    init(_ whole: [UInt8], pieceSize: Int, limit: Int) {
        self.whole = whole
        self.pieceSize = pieceSize
        self.limit = limit
    }

    package var isUntouched: Bool { position.value == 0 }

    package func next() async throws(BodyError) -> [UInt8]? {
        let start = position.value
        guard whole.count <= limit else {
            position.value = 1
            throw .tooLarge(limit: limit)
        }
        guard start < whole.count else { return nil }
        let end = min(start + pieceSize, whole.count)
        position.value = end
        return Array(whole[start..<end])
    }
}
