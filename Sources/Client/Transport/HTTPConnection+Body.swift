import HTTP

extension HTTPConnection {
    /// Hands the body over piece by piece; one without framing ends with the connection.
    ///
    /// Throws `connectionEnded` where the connection ends before the body does, and what `sink` throws.
    mutating func readBody(
        _ framing: BodyFraming?, idle: Duration, _ sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
        guard let framing else { return try readToEnd(idle: idle, sink) }
        var decoder = BodyDecoder(framing, limits: Limits())
        while !decoder.isComplete {
            guard try fill(until: .now.advanced(by: idle)) else {
                let missing = decoder.remaining.map { "\($0) bytes are" } ?? "its last chunk is"
                throw .connectionEnded(peer: peer, reason: "\(missing) missing")
            }
            let piece: Range<Int>?
            do throws(BodyError) { piece = try decoder.next(buffer, &unread) } catch {
                throw .malformedAnswer("its chunks are not framed as they have to be")
            }
            if let piece { try hand(piece, to: sink) }
        }
    }

    private mutating func readToEnd(
        idle: Duration, _ sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
        while try fill(until: .now.advanced(by: idle)) {
            try hand(unread, to: sink)
            unread = unread.upperBound..<unread.upperBound
        }
    }

    private func hand(
        _ piece: Range<Int>, to sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
        try buffer.span.withUnsafeBytes { bytes throws(TransportError) in
            try sink(UnsafeRawBufferPointer(rebasing: bytes[piece]))
        }
    }
}
