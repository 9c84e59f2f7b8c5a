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
    /// Without `Host`, `Content-Length` and `Connection`, which sending adds.
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

    /// The bytes of the head (RFC 9112 §3).
    ///
    /// - Parameter length: Bytes of the body; `nil` where there is none.
    func head(length: Int?) -> [UInt8] {
        var lines = ["\(method.token) \(url.target) HTTP/1.1", "Host: \(url.authority)", "Connection: close"]
        if let length { lines.append("Content-Length: \(length)") }
        lines += fields.all.map { "\($0.name.name): \($0.value)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}
