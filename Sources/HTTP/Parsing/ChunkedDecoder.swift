import Ground

/// An incremental decoder of chunked framing (RFC 9112 §7.1).
///
/// Extensions and trailer fields are read within limits and dropped. The framing lines may take 16 bytes for each
/// chunk, two for each byte of the body, and ``Limits/chunkOverheadBytes`` beyond that.
package struct ChunkedDecoder: Sendable {
    private enum State {
        case sizeStart, size, extensions, sizeLineFeed
        case data, dataReturn, dataLineFeed
        case trailerStart, trailerName, trailerValue, trailerLineFeed, endLineFeed, complete
    }

    private static let sizeDigits = 16
    private static let shareOfChunk = 16
    private static let shareOfByte = 2

    private let limits: Limits
    private var state = State.sizeStart
    private var digits = 0
    /// The number of bytes of the chunk that are still to come.
    private var remaining = 0
    private var lineBytes = 0
    /// The bytes of framing lines beyond the share that the body allows.
    private var overhead = 0
    private var trailerBytes = 0

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Whether the last chunk and the trailer have been read.
    package var isComplete: Bool {
        if case .complete = state { true } else { false }
    }

    /// Finds the next bytes of the body in `input[range]` and moves `range` past them.
    ///
    /// Returns `nil` if more input is needed or the body is complete; then `range` begins after the body. Throws only
    /// ``BodyError/malformed``.
    package mutating func next(_ input: [UInt8], _ range: inout Range<Int>) throws(BodyError) -> Range<Int>? {
        let bytes = input.span
        var index = range.lowerBound
        defer { range = index..<range.upperBound }
        while index < range.upperBound {
            switch state {
            case .data:
                let piece = index..<index + min(remaining, range.upperBound - index)
                remaining -= piece.count
                index = piece.upperBound
                if remaining == 0 { state = .dataReturn }
                return piece
            case .complete:
                return nil
            default:
                try step(bytes[index])
                index += 1
            }
        }
        return nil
    }

    private mutating func step(_ byte: UInt8) throws(BodyError) {
        switch state {
        case .sizeStart, .size, .extensions, .sizeLineFeed: try stepSize(byte)
        case .dataReturn: try expect(ASCII.carriageReturn, byte, then: .dataLineFeed)
        case .dataLineFeed: try expect(ASCII.lineFeed, byte, then: .sizeStart)
        case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed, .endLineFeed: try stepTrailer(byte)
        case .data, .complete: break
        }
    }

    private mutating func stepSize(_ byte: UInt8) throws(BodyError) {
        if case .sizeStart = state { beginLine() }
        lineBytes += 1
        guard lineBytes <= limits.chunkLineBytes else { throw .malformed }
        switch (state, byte) {
        case (.sizeLineFeed, _):
            try expect(ASCII.lineFeed, byte, then: remaining == 0 ? .trailerStart : .data)
            try weighLine()
        case (.size, ASCII.carriageReturn), (.extensions, ASCII.carriageReturn):
            state = .sizeLineFeed
        case (.size, ASCII.semicolon):
            state = .extensions
        case (.extensions, _):
            guard ASCII.isFieldValue(byte) else { throw .malformed }
        default:
            guard let digit = ASCII.hexadecimal(byte) else { throw .malformed }
            digits += 1
            guard digits <= Self.sizeDigits, remaining <= Int.max >> 4 else { throw .malformed }
            remaining = remaining << 4 | Int(digit)
            state = .size
        }
    }

    private mutating func beginLine() {
        lineBytes = 0
        digits = 0
        remaining = 0
    }

    /// Adds a framing line to the overhead beyond the body's share.
    private mutating func weighLine() throws(BodyError) {
        let share = Self.shareOfChunk + Self.shareOfByte * min(remaining, limits.chunkOverheadBytes)
        overhead = max(0, overhead + lineBytes - share)
        guard overhead <= limits.chunkOverheadBytes else { throw .malformed }
    }

    private mutating func stepTrailer(_ byte: UInt8) throws(BodyError) {
        trailerBytes += 1
        guard trailerBytes <= limits.trailerBytes else { throw .malformed }
        switch (state, byte) {
        case (.trailerStart, ASCII.carriageReturn): state = .endLineFeed
        case (.trailerName, ASCII.colon): state = .trailerValue
        case (.trailerStart, _), (.trailerName, _):
            guard ASCII.isToken(byte) else { throw .malformed }
            state = .trailerName
        case (.trailerValue, ASCII.carriageReturn): state = .trailerLineFeed
        case (.trailerLineFeed, _): try expect(ASCII.lineFeed, byte, then: .trailerStart)
        case (.endLineFeed, _): try expect(ASCII.lineFeed, byte, then: .complete)
        default:
            guard ASCII.isFieldValue(byte) else { throw .malformed }
        }
    }

    private mutating func expect(_ wanted: UInt8, _ byte: UInt8, then next: State) throws(BodyError) {
        guard byte == wanted else { throw .malformed }
        state = next
    }
}
