package import HTTP

/// An HTTP request.
package struct ClientRequest: Sendable {
    /// The body of a request.
    package enum Body: Sendable, Equatable {
        case none
        case bytes([UInt8])
        /// A whole file, which must not change meanwhile.
        case file(path: String)
        /// A range of a file, which must contain it and not change meanwhile.
        case part(path: String, Range<Int>)
    }

    package var method: Method
    package var url: HTTPURL
    /// The fields except `Host`, `Content-Length` and `User-Agent`, which sending adds.
    package var fields: Fields
    package var body: Body
    /// The timeout of the response's head; `nil` for the client's own.
    ///
    /// Long polls need a longer one.
    package var responseTimeout: Duration?
    /// The time limit of the whole exchange; `nil` for none.
    package var timeLimit: Duration?
    /// Whether a second execution of the request does no harm, so that it may use a kept connection.
    ///
    /// GET and HEAD always may.
    package var isRepeatable = false

    package init(_ method: Method, _ url: HTTPURL, fields: Fields = Fields(), body: Body = .none) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}
