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
    /// The bytes of the response's body after which the exchange ends; 0 needs the head alone.
    ///
    /// Ends, timeouts and errors after the head end the exchange without an error as well. `nil` requires the whole body,
    /// with an end that can be recognized.
    package var sufficientBody: Int?
    /// Returns whether the caller no longer needs the response; it is asked several times a second, and ends the exchange
    /// with `abandoned`.
    package var isAbandoned: (@Sendable () -> Bool)?

    package init(_ method: Method, _ url: HTTPURL, fields: Fields = Fields(), body: Body = .none) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}
