/// An incremental decoder that finds the bytes of a body in a connection's input, for both framings.
package enum BodyDecoder: Sendable {
    /// A body of known length; the value is the number of bytes to come.
    case length(Int)
    case chunked(ChunkedDecoder)

    package init(_ framing: BodyFraming, limits: Limits) {
        self =
            switch framing {
            case .none: .length(0)
            case .length(let length): .length(length)
            case .chunked: .chunked(ChunkedDecoder(limits: limits))
            }
    }

    /// Whether the body has been read to its end.
    package var isComplete: Bool {
        switch self {
        case .length(let remaining): remaining == 0
        case .chunked(let decoder): decoder.isComplete
        }
    }

    /// The number of bytes to come, if known.
    package var remaining: Int? {
        if case .length(let remaining) = self { remaining } else { nil }
    }

    /// Finds the next bytes of the body in `input[range]` and moves `range` past them.
    ///
    /// Returns `nil` if more input is needed or the body is complete. Throws only ``BodyError/malformed``.
    package mutating func next(_ input: [UInt8], _ range: inout Range<Int>) throws(BodyError) -> Range<Int>? {
        switch self {
        case .length(let remaining):
            let count = min(remaining, range.count)
            guard count > 0 else { return nil }
            let piece = range.lowerBound..<range.lowerBound + count
            range = piece.upperBound..<range.upperBound
            self = .length(remaining - count)
            return piece
        case .chunked(var decoder):
            defer { self = .chunked(decoder) }
            return try decoder.next(input, &range)
        }
    }
}
