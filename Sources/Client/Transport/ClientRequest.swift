package import HTTP

/// A request to send.
package struct ClientRequest: Sendable {
    /// What goes after the head.
    package enum Body: Sendable, Equatable {
        case none
        case bytes([UInt8])
        /// The whole of a file, which must not change meanwhile.
        case file(path: String)
        /// These bytes of a file, which must have them and not change meanwhile.
        case part(path: String, Range<Int>)
    }

    package var method: Method
    package var url: HTTPURL
    /// The fields without `Host`, `Content-Length` and `User-Agent`, which sending adds.
    package var fields: Fields
    package var body: Body
    /// How long the head of the answer may take, where it is not the client's own time: long polls wait on purpose.
    package var answerTimeout: Duration?

    package init(_ method: Method, _ url: HTTPURL, fields: Fields = Fields(), body: Body = .none) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}
