/// The transfer codings of one request: all of its `Transfer-Encoding` fields, in order (RFC 9112 §6.1, §7).
struct TransferCodings: Sendable {
    private(set) var isPresent = false
    private var isChunked = false
    private var hasOthers = false

    /// Takes note of one field.
    ///
    /// Nothing may follow `chunked`, itself included, and it has no parameters. An empty element, which RFC 9110
    /// §5.6.1 would pass over, is refused: there is no honest sender of one.
    mutating func note(_ value: Span<UInt8>) throws(HeadError) {
        isPresent = true
        var start = 0
        while let element = value.listElement(from: &start) {
            guard !isChunked else { throw .malformed }
            if value.extracting(element).equals(lowercased: "chunked") {
                isChunked = true
            } else {
                try noteOther(value.extracting(element))
            }
        }
    }

    /// Whether the body is in chunks; any other coding is unknown (501) or hides where the body ends (400).
    func settle() throws(HeadError) -> Bool {
        guard isPresent else { return false }
        guard isChunked else { throw .malformed }
        guard !hasOthers else { throw .unknownTransferCoding }
        return true
    }

    private mutating func noteOther(_ coding: Span<UInt8>) throws(HeadError) {
        var end = 0
        while end < coding.count, ASCII.isToken(coding[end]) { end += 1 }
        guard end > 0, !coding.extracting(0..<end).equals(lowercased: "chunked") else { throw .malformed }
        while end < coding.count, ASCII.isSpace(coding[end]) { end += 1 }
        guard end == coding.count || coding[end] == ASCII.semicolon else { throw .malformed }
        // A comma in quotes would have been taken for the end of the coding.
        while end < coding.count {
            guard coding[end] != ASCII.quote else { throw .malformed }
            end += 1
        }
        hasOthers = true
    }
}
