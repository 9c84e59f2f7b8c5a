package import Ground
package import HTTP

/// The status and fields of a response.
package struct ResponseHead: Sendable {
    package let status: Int
    package let fields: Fields

    package var isSuccess: Bool { (200..<300).contains(status) }

    /// The server's time when it made the response, plus `Age` (RFC 9111 §4.2.3); at most a second late.
    package var serverTime: Timestamp? {
        guard let date = fields[.date].flatMap({ HTTPDate($0.utf8) }) else { return nil }
        let age = fields[.age].flatMap { Int64($0) } ?? 0
        return Timestamp(milliseconds: (Int64(date.secondsSinceEpoch) + max(0, min(age, Self.maximumAge))) * 1000)
    }

    /// The limit on `Age` in seconds, which replaces larger values.
    private static let maximumAge: Int64 = 366 * 86_400
}

/// A response with its body.
package struct ClientResponse: Sendable {
    package let head: ResponseHead
    package let body: [UInt8]

    package init(head: ResponseHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }
}
