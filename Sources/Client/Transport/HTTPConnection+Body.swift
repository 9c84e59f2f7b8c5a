extension HTTPConnection {
    /// Hands the body over piece by piece.
    ///
    /// Throws `connectionEnded` where the connection ends before the body does, and what `sink` throws.
    mutating func readBody(
        _ framing: ResponseFraming, idle: Duration, _ sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
        switch framing {
        case .none: return
        case .length(let count): try read(exactly: count, idle: idle, sink)
        case .chunked: try readChunks(idle: idle, sink)
        case .untilClose:
            while try read(upTo: .max >> 1, until: .now.advanced(by: idle), sink) > 0 {}
        }
    }

    private mutating func read(
        exactly count: Int, idle: Duration, _ sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
        var left = count
        while left > 0 {
            let moved = try read(upTo: left, until: .now.advanced(by: idle), sink)
            guard moved > 0 else {
                throw .connectionEnded(peer: peer, reason: "\(left) of \(count) bytes are missing")
            }
            left -= moved
        }
    }

    /// RFC 9112 §7.1; extensions and trailers are passed over.
    private mutating func readChunks(
        idle: Duration, _ sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
        while true {
            let line = try readLine(limit: ResponseLimits.line, until: .now.advanced(by: idle))
            let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            let trimmed = digits.prefix { $0 != " " && $0 != "\t" }
            guard trimmed.allSatisfy(\.isHexDigit), let size = Int(trimmed, radix: 16) else {
                throw .malformedAnswer("a chunk begins with '\(digits.prefix(20))'")
            }
            guard size > 0 else { break }
            try read(exactly: size, idle: idle, sink)
            guard try readLine(limit: 2, until: .now.advanced(by: idle)).isEmpty else {
                throw .malformedAnswer("a chunk is longer than it says")
            }
        }
        for _ in 0..<ResponseLimits.lines
        where try readLine(limit: ResponseLimits.line, until: .now.advanced(by: idle)).isEmpty {
            return
        }
        throw .malformedAnswer("it has more than \(ResponseLimits.lines) trailers")
    }
}
