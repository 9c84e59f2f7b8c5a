/// A response whose bytes are made once and sent many times, on the fast path.
package final class PreparedResponse: Sendable {
    package let status: Status
    private let fields: Fields
    /// The status line and fields, each with its CRLF: with `Content-Length`, without `Date`, `Connection` and the
    /// empty line.
    package let head: [UInt8]
    /// The body; empty if the status has none.
    package let body: BodyPiece

    /// Serialises a response; a status without a body gets no `Content-Length`.
    package convenience init(_ status: Status, fields: Fields, body: [UInt8] = []) {
        self.init(status, fields: fields, body: .bytes(body))
    }

    /// Serialises the head of a response whose body may be a file, which stays open as long as the response lives.
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

    /// A copy for `HEAD` requests: the whole head without the body.
    var withoutBody: PreparedResponse { PreparedResponse(withoutBody: self) }

    /// A copy as an ordinary response, for callers that have to return one.
    package var response: Response { Response(status, fields: fields, body: body.whole) }
}

extension BodyPiece {
    /// The response body that consists of this piece alone.
    fileprivate var whole: Response.Body {
        switch self {
        case .bytes(let bytes): .bytes(bytes)
        case .file(let region): .file(region)
        }
    }
}
