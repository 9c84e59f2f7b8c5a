import Ground
import HTTP

/// What of an answer's head is taken.
enum ResponseLimits {
    /// Bytes of one line, and lines of one head.
    static let line = 16 << 10
    static let lines = 200
    /// Interim answers (1xx) before the final one.
    static let interim = 10
}

extension HTTPConnection {
    /// Reads the head of the final answer, passing over interim ones.
    mutating func readHead(until deadline: ContinuousClock.Instant) throws(TransportError) -> ResponseHead {
        for _ in 0..<ResponseLimits.interim {
            let status = try readStatusLine(until: deadline)
            let fields = try readFields(until: deadline)
            if status >= 200 { return ResponseHead(status: status, fields: fields) }
        }
        throw .malformedAnswer("one interim answer follows the other")
    }

    private mutating func readStatusLine(until deadline: ContinuousClock.Instant) throws(TransportError) -> Int {
        let line = String(decoding: try readLine(limit: ResponseLimits.line, until: deadline), as: UTF8.self)
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] == "HTTP/1.1" || parts[0] == "HTTP/1.0", parts[1].utf8.count == 3,
            let status = Int(parts[1]), (100...599).contains(status)
        else { throw .malformedAnswer("it begins with '\(line.prefix(60))'") }
        return status
    }

    private mutating func readFields(until deadline: ContinuousClock.Instant) throws(TransportError) -> Fields {
        var fields = Fields()
        for _ in 0..<ResponseLimits.lines {
            let line = try readLine(limit: ResponseLimits.line, until: deadline)
            if line.isEmpty { return fields }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else {
                throw .malformedAnswer("a field has no name")
            }
            let name = FieldName(String(decoding: line[..<colon], as: UTF8.self))
            let value = String(decoding: line[(colon + 1)...].trimmingBlanks(), as: UTF8.self)
            if let earlier = fields[name] {
                // Two lengths that differ are an attack on whoever believes either (RFC 9112 §6.3).
                guard name != .contentLength || earlier == value else {
                    throw .malformedAnswer("it has two lengths")
                }
            } else {
                fields[name] = value
            }
        }
        throw .malformedAnswer("it has more than \(ResponseLimits.lines) fields")
    }
}

extension ResponseHead {
    /// How the body of the answer to a request with this method ends (RFC 9112 §6.3); `nil` where the connection's end
    /// is the body's.
    func framing(answering method: Method) throws(TransportError) -> BodyFraming? {
        if method == .head || status == 204 || status == 304 { return BodyFraming.none }
        if let coding = fields[.transferEncoding] {
            guard coding.lowercased() == "chunked" else {
                throw .malformedAnswer("its transfer coding is '\(coding)'")
            }
            return .chunked
        }
        guard let text = fields[.contentLength] else { return nil }
        guard text.utf8.allSatisfy(ASCII.isDigit), let length = Int(text) else {
            throw .malformedAnswer("its length is '\(text)'")
        }
        return length == 0 ? BodyFraming.none : .length(length)
    }
}
