/// What the fields of one request say about its body and its connection (RFC 9112 §3.2, §6, §9).
///
/// Anything that another reader of the same bytes could take differently is refused, never mended.
struct FramingRules: Sendable {
    private var hosts = 0
    private var length: Int?
    private var isChunked = false
    private var closes = false
    private var keepsAlive = false
    private var expectsContinue = false

    /// Takes note of one field, value trimmed.
    @inline(__always)
    mutating func note(_ name: Span<UInt8>, _ value: Span<UInt8>) throws(HeadError) {
        switch name.count {
        case 4 where name.equals(lowercased: "host"): try noteHost(value)
        case 6 where name.equals(lowercased: "expect"): try noteExpect(value)
        case 10 where name.equals(lowercased: "connection"): noteConnection(value)
        case 14 where name.equals(lowercased: "content-length"): try noteLength(value)
        case 17 where name.equals(lowercased: "transfer-encoding"): try noteCoding(value)
        default: break
        }
    }

    /// Checks the fields against one another and writes down what follows from them.
    mutating func settle(_ head: inout RequestHead) throws(HeadError) {
        guard hosts == 1 || hosts == 0 && head.minorVersion == 0 else { throw .malformed }
        if isChunked {
            guard length == nil, head.minorVersion == 1 else { throw .malformed }
            head.framing = .chunked
        } else if let length, length > 0 {
            head.framing = .length(length)
        }
        head.isPersistent = !closes && (head.minorVersion == 1 || keepsAlive)
        head.expectsContinue = expectsContinue && head.minorVersion == 1 && head.framing != .none
    }

    private mutating func noteHost(_ value: Span<UInt8>) throws(HeadError) {
        hosts += 1
        guard hosts == 1 else { throw .malformed }
        for index in value.indices {
            switch value[index] {
            case ASCII.space, ASCII.tab, ASCII.slash, ASCII.question, ASCII.hash, ASCII.comma, ASCII.quote,
                ASCII.backslash, 0x3C, 0x3E, 0x40:
                throw .malformed
            default: break
            }
        }
    }

    private mutating func noteExpect(_ value: Span<UInt8>) throws(HeadError) {
        guard value.equals(lowercased: "100-continue") else { throw .unknownExpectation }
        expectsContinue = true
    }

    private mutating func noteLength(_ value: Span<UInt8>) throws(HeadError) {
        guard length == nil, (1...18).contains(value.count) else { throw .malformed }
        var total = 0
        for index in value.indices {
            guard ASCII.isDigit(value[index]) else { throw .malformed }
            total = total * 10 + Int(value[index] - 0x30)
        }
        length = total
    }

    private mutating func noteCoding(_ value: Span<UInt8>) throws(HeadError) {
        guard !isChunked else { throw .malformed }
        guard value.equals(lowercased: "chunked") else { throw .unknownTransferCoding }
        isChunked = true
    }

    private mutating func noteConnection(_ value: Span<UInt8>) {
        var start = 0
        while start < value.count {
            var end = start
            while end < value.count, value[end] != ASCII.comma { end += 1 }
            var option = start..<end
            while let first = option.first, value[first] == ASCII.space || value[first] == ASCII.tab {
                option.removeFirst()
            }
            while let last = option.last, value[last] == ASCII.space || value[last] == ASCII.tab { option.removeLast() }
            closes = closes || value.extracting(option).equals(lowercased: "close")
            keepsAlive = keepsAlive || value.extracting(option).equals(lowercased: "keep-alive")
            start = end + 1
        }
    }
}
