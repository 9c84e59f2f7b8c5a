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

/// Bytes of an open file; whoever holds the region keeps the descriptor open.
package struct FileRegion: Sendable {
    /// Valid for as long as ``owner`` lives; read by position only.
    package let descriptor: Int32
    package let owner: any AnyObject & Sendable
    package var offset: Int
    package var count: Int

    package init(descriptor: Int32, owner: any AnyObject & Sendable, offset: Int, count: Int) {
        self.descriptor = descriptor
        self.owner = owner
        self.offset = offset
        self.count = count
    }
}

/// One of the pieces that a body is put together from.
package enum BodyPiece: Sendable {
    case bytes([UInt8])
    case file(FileRegion)

    /// How many bytes it has.
    package var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(let region): region.count
        }
    }
}

/// Where a streamed body goes.
package protocol BodyWriter: AnyObject, Sendable {
    /// Sends a piece; waits while the peer is behind. Throws when the peer is gone or too slow.
    func write(_ piece: [UInt8]) async throws
}

/// An answer whose bytes are made once and sent many times, on the fast path.
package final class PreparedResponse: Sendable {
    package let status: Status
    private let fields: Fields
    /// Status line and fields, each with its CRLF, `Content-Length` among them; without `Date`, `Connection` and
    /// the empty line.
    package let head: [UInt8]
    package let body: [UInt8]
    /// What follows the head instead of ``body``.
    package let file: FileRegion?

    /// Serialises an answer; a status without a body gets no `Content-Length`.
    package init(_ status: Status, fields: Fields, body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = status.isBodiless ? [] : body
        file = nil
        head = Self.head(of: Response(status, fields: fields, body: .bytes(body)))
    }

    /// Serialises the head of an answer whose body is a file, which stays open for as long as this lives.
    package init(_ status: Status, fields: Fields, file: FileRegion) {
        self.status = status
        self.fields = fields
        body = []
        self.file = file
        head = Self.head(of: Response(status, fields: fields, body: .file(file)))
    }

    private static func head(of response: Response) -> [UInt8] {
        var head: [UInt8] = []
        response.writeHead(response.heading(minorVersion: 1), to: &head)
        return head
    }

    /// The same answer, for who has to return one that is made for the request.
    package var response: Response {
        Response(status, fields: fields, body: file.map { .file($0) } ?? .bytes(body))
    }
}
