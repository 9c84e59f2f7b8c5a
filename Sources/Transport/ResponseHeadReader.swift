import Ground
import HTTP

/// The limits of a response's head.
enum ResponseLimits {
    /// The limits on the bytes of one line, and on the lines of one head.
    static let line = 16 << 10
    static let lines = 200
    /// The limit on interim responses (1xx) before the final one.
    static let interim = 10
}

/// A parser of the final response's head, line by line, that skips the heads of interim responses.
struct ResponseHeadReader {
    /// The head of the final response; `nil` until it is complete.
    private(set) var head: ResponseHead?
    private let allowsHTTP2: Bool
    /// Whether the head was received over HTTP/2.
    private(set) var isHTTP2 = false
    private var status: Int?
    private var fields = Fields()
    private var lines = 0
    /// The number of interim responses so far.
    private(set) var interim = 0

    /// - Parameter allowsHTTP2: Whether the connection may have negotiated HTTP/2, which requires TLS.
    init(allowsHTTP2: Bool) {
        self.allowsHTTP2 = allowsHTTP2
    }

    /// Parses the next line with its ending, CRLF or LF; ignores the trailers after the head.
    mutating func take(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
        guard head == nil else { return }
        var line = bytes[...]
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        guard line.count <= ResponseLimits.line else {
            throw .malformedResponse("a line is longer than \(ResponseLimits.line) bytes")
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard let status else {
            self.status = try status(in: String(decoding: line, as: UTF8.self))
            return
        }
        lines += 1
        guard lines <= ResponseLimits.lines else {
            throw .malformedResponse("it has more than \(ResponseLimits.lines) fields")
        }
        guard line.isEmpty else { return try takeField(Array(line)) }
        if status >= 200 {
            head = ResponseHead(status: status, fields: fields)
        } else {
            interim += 1
            guard interim < ResponseLimits.interim else {
                throw .malformedResponse("it has too many interim responses")
            }
        }
        (self.status, fields, lines) = (nil, Fields(), 0)
    }

    private mutating func status(in line: String) throws(TransportError) -> Int {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, isKnown(version: parts[0]), parts[1].utf8.count == 3, let status = Int(parts[1]),
            (100...599).contains(status)
        else { throw .malformedResponse("it begins with '\(line.prefix(60))'") }
        guard status != 101 else { throw .malformedResponse("it switches to a protocol that was not requested") }
        isHTTP2 = parts[0] == "HTTP/2"
        return status
    }

    private func isKnown(version: Substring) -> Bool {
        version == "HTTP/1.1" || version == "HTTP/1.0" || (allowsHTTP2 && version == "HTTP/2")
    }

    private mutating func takeField(_ line: [UInt8]) throws(TransportError) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else {
            throw .malformedResponse("a field has no name")
        }
        let name = FieldName(String(decoding: line[..<colon], as: UTF8.self))
        let value = String(decoding: line[(colon + 1)...].trimmingBlanks(), as: UTF8.self)
        if let earlier = fields[name] {
            // Two different lengths are an attack on a recipient that believes either (RFC 9112 §6.3).
            guard name != .contentLength || earlier == value else { throw .malformedResponse("it has two lengths") }
        } else {
            fields[name] = value
        }
    }
}

extension ResponseHead {
    /// Returns the framing of the response's body for a request method (RFC 9112 §6.3).
    ///
    /// Returns `nil` if the body ends with the connection or the stream of HTTP/2.
    func framing(inResponseTo method: Method) throws(TransportError) -> BodyFraming? {
        if method == .head || status == 204 || status == 304 { return BodyFraming.none }
        if let coding = fields[.transferEncoding] {
            guard coding.lowercased() == "chunked" else {
                throw .malformedResponse("its transfer coding is '\(coding)'")
            }
            return .chunked
        }
        guard let text = fields[.contentLength] else { return nil }
        guard text.utf8.allSatisfy(ASCII.isDigit), let length = Int(text) else {
            throw .malformedResponse("its length is '\(text)'")
        }
        return length == 0 ? BodyFraming.none : .length(length)
    }
}
