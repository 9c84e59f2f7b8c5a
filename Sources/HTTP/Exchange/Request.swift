/// A request whose head is complete and whose body is still to be read.
package struct Request: Sendable {
    package let head: RequestHead
    package let body: RequestBody

    package init(head: RequestHead, body: RequestBody) {
        self.head = head
        self.body = body
    }
}

/// The reason why reading a body failed.
package enum BodyError: Error, Equatable {
    /// The body is longer than the limit, by its declared length or the bytes received.
    case tooLarge(limit: Int)
    /// The peer paused for longer than a deadline allows, or exceeded the deadline of the whole body.
    case timedOut
    /// The peer closed the connection before the end of the body.
    case disconnected
    /// The chunked framing is broken (RFC 9112 §7.1).
    case malformed
}

/// The source of a body's pieces: a connection, or an array in a test.
package protocol BodySource: AnyObject, Sendable {
    /// Waits for the next piece of at most 64 KiB; returns `nil` at the end. Only one task at a time may call it.
    func next() async throws(BodyError) -> [UInt8]?
}

/// The body of a request, read in pieces; the connection is read only on demand.
package struct RequestBody: Sendable {
    /// The declared length in bytes; `nil` for a chunked body.
    package let length: Int?
    private let source: (any BodySource)?

    package init(length: Int?, source: any BodySource) {
        self.length = length
        self.source = source
    }

    private init() {
        length = 0
        source = nil
    }

    /// A body without bytes.
    package static let empty = RequestBody()

    /// Returns the next piece, or `nil` at the end.
    package func next() async throws(BodyError) -> [UInt8]? {
        guard let source else { return nil }
        return try await source.next()
    }

    /// Returns the whole body; throws as soon as it is known to be longer than `limit` bytes.
    package func collect(upTo limit: Int) async throws(BodyError) -> [UInt8] {
        if let length, length > limit { throw .tooLarge(limit: limit) }
        var whole: [UInt8] = []
        while let piece = try await next() {
            guard whole.count + piece.count <= limit else { throw .tooLarge(limit: limit) }
            whole.append(contentsOf: piece)
        }
        return whole
    }
}
