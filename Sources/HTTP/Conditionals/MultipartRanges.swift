/// A body of several parts of a file, `multipart/byteranges` (RFC 9110 §14.6).
struct MultipartRanges {
    /// The line between the parts; random, so that it occurs in the file with a probability of one in 2¹²⁸.
    let boundary: String
    let pieces: [BodyPiece]

    /// - Parameter mediaType: The media type of the file, which each part repeats.
    init(_ parts: [Range<Int>], of region: FileRegion, mediaType: String?, boundary: String = Self.makeBoundary()) {
        self.boundary = boundary
        var pieces: [BodyPiece] = []
        for part in parts {
            var head = pieces.isEmpty ? "--\(boundary)\r\n" : "\r\n--\(boundary)\r\n"
            if let mediaType { head += "Content-Type: \(mediaType)\r\n" }
            head += "Content-Range: \(region.contentRange(part))\r\n\r\n"
            pieces += [.bytes(Array(head.utf8)), .file(region.part(part))]
        }
        pieces.append(.bytes(Array("\r\n--\(boundary)--\r\n".utf8)))
        self.pieces = pieces
    }

    var count: Int { pieces.reduce(0) { $0 + $1.count } }

    private static func makeBoundary() -> String {
        let digits = String(UInt128.random(in: 0...UInt128.max), radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}

extension FileRegion {
    /// Returns the region of a part, with offsets relative to this region.
    func part(_ range: Range<Int>) -> FileRegion {
        var part = self
        part.offset += range.lowerBound
        part.count = range.count
        return part
    }

    /// Returns the `Content-Range` of a part.
    func contentRange(_ part: Range<Int>) -> String {
        "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(count)"
    }
}
