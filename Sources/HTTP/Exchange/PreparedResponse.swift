/// An answer whose bytes are made once and sent many times, on the fast path.
package final class PreparedResponse: Sendable {
    package let status: Status
    private let fields: Fields
    /// Status line and fields, each with its CRLF, `Content-Length` among them; without `Date`, `Connection` and
    /// the empty line.
    package let head: [UInt8]
    /// What follows the head; no bytes at all where the status has no body.
    package let body: BodyPiece

    /// Serialises an answer; a status without a body gets no `Content-Length`.
    package convenience init(_ status: Status, fields: Fields, body: [UInt8] = []) {
        self.init(status, fields: fields, body: .bytes(body))
    }

    /// Serialises the head of an answer whose body may be a file, which stays open for as long as this lives.
    package init(_ status: Status, fields: Fields, body: BodyPiece) {
        self.status = status
        self.fields = fields
        self.body = status.isBodiless ? .bytes([]) : body
        let response = Response(status, fields: fields, body: body.whole)
        var head: [UInt8] = []
        response.writeHead(response.heading(minorVersion: 1), to: &head)
        self.head = head
    }

    private init(withoutBody response: PreparedResponse) {
        status = response.status
        fields = response.fields
        head = response.head
        body = .bytes([])
    }

    /// A copy for `HEAD` requests: the head of the whole answer, and no body.
    var withoutBody: PreparedResponse { PreparedResponse(withoutBody: self) }

    /// The same answer, for who has to return one that is made for the request.
    package var response: Response { Response(status, fields: fields, body: body.whole) }
}

extension BodyPiece {
    /// A body that is this piece and no other.
    fileprivate var whole: Response.Body {
        switch self {
        case .bytes(let bytes): .bytes(bytes)
        case .file(let region): .file(region)
        }
    }
}
