/// A response; a handler returns exactly one, so that exactly one is sent.
package struct Response: Sendable {
    package var status: Status
    /// The fields without `Date`, `Connection`, `Content-Length` and `Transfer-Encoding`, which the server adds.
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
        /// Bytes and parts of files in sequence.
        case pieces([BodyPiece])
        /// Pieces produced on demand; each `write` returns when the peer has taken enough of it. With a length the
        /// response has `Content-Length`, without one it is chunked.
        case stream(length: Int?, produce: @Sendable (any BodyWriter) async throws -> Void)
        /// Pieces that are sent as they arise, without a task; chunked.
        case feed(any Feed)
    }
}

/// The destination of a streamed body.
package protocol BodyWriter: AnyObject, Sendable {
    /// Sends a piece and waits while the peer is behind. Throws if the peer has closed the connection or is too slow.
    func write(_ piece: [UInt8]) async throws
}
