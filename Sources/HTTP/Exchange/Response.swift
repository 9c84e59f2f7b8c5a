/// An answer; a handler returns exactly one, so that exactly one is sent.
package struct Response: Sendable {
    package var status: Status
    /// Without `Date`, `Connection`, `Content-Length` and `Transfer-Encoding`: the server adds those.
    package var fields: Fields
    package var body: Body

    package init(_ status: Status, fields: Fields = Fields(), body: Body = .empty) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    package enum Body: Sendable {
        case empty
        case bytes([UInt8])
        /// Part of an open file, sent by the kernel.
        case file(FileRegion)
        /// Bytes and parts of files, one after the other.
        case pieces([BodyPiece])
        /// Pieces as they are made; each `write` returns when the peer has taken enough of it.
        /// With a length the answer has `Content-Length`, without one it is chunked.
        case stream(length: Int?, produce: @Sendable (any BodyWriter) async throws -> Void)
    }
}

/// Where a streamed body goes.
package protocol BodyWriter: AnyObject, Sendable {
    /// Sends a piece; waits while the peer is behind. Throws when the peer is gone or too slow.
    func write(_ piece: [UInt8]) async throws
}
