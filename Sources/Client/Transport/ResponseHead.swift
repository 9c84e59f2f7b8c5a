import Domain
package import Ground
package import HTTP

/// The status and fields of an answer.
package struct ResponseHead: Sendable {
    package let status: Int
    package let fields: Fields

    package var isSuccess: Bool { (200..<300).contains(status) }

    /// The server's time when it made the answer, `Age` counted in (RFC 9111 §4.2.3); at most a second behind.
    package var serverTime: Timestamp? {
        guard let date = fields[.date].flatMap({ HTTPDate($0.utf8) }) else { return nil }
        let age = fields[.age].flatMap { Int64($0) } ?? 0
        return Timestamp(milliseconds: (Int64(date.secondsSinceEpoch) + max(0, min(age, Self.maximumAge))) * 1000)
    }

    /// Seconds; more is nonsense.
    private static let maximumAge: Int64 = 366 * 86_400
}

/// An answer with its body.
package struct ClientResponse: Sendable {
    package let head: ResponseHead
    package let body: [UInt8]
}
