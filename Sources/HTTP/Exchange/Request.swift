/// A request whose head is complete and whose body is still to be read.
package struct Request: Sendable {
    package let head: RequestHead
    package let body: RequestBody

    package init(head: RequestHead, body: RequestBody) {
        self.head = head
        self.body = body
    }
}

/// Why a body could not be read to its end.
package enum BodyError: Error, Equatable {
    /// More bytes than the limit, declared or sent.
    case tooLarge(limit: Int)
    /// The peer stopped sending for longer than a deadline allows, or took longer than one for the whole.
    case timedOut
    /// The peer closed before the end.
    case disconnected
    /// The chunked framing is broken (RFC 9112 §7.1).
    case malformed
}

/// Where the pieces of a body come from: a connection, or a test's array.
package protocol BodySource: AnyObject, Sendable {
    /// Waits for the next piece, at most 64 KiB; `nil` at the end. To be called by one task at a time.
    func next() async throws(BodyError) -> [UInt8]?
}

/// The body of a request, read in pieces: nothing is read from the peer before it is asked for.
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

    /// No body at all.
    package static let empty = RequestBody()

    /// The next piece; `nil` at the end.
    package func next() async throws(BodyError) -> [UInt8]? {
        guard let source else { return nil }
        return try await source.next()
    }

    /// The whole body, refused as soon as it is known to be longer than `limit` bytes.
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
