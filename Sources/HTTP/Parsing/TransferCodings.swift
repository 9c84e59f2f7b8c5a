import Ground

/// The transfer codings of one request from all of its `Transfer-Encoding` fields, in order (RFC 9112 §6.1, §7).
struct TransferCodings: Sendable {
    private(set) var isPresent = false
    private var isChunked = false
    private var hasOthers = false

    /// Records one field.
    ///
    /// Rejects anything after `chunked`, a second `chunked` included, and its parameters. Also rejects an empty
    /// element, which RFC 9110 §5.6.1 allows to ignore: no honest sender writes one.
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

    /// Returns whether the body is chunked; throws for an unknown coding (501) and for one that hides the end of the
    /// body (400).
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
        // A comma in quotes would have been read as the end of the coding.
        while end < coding.count {
            guard coding[end] != ASCII.quote else { throw .malformed }
            end += 1
        }
        hasOthers = true
    }
}
