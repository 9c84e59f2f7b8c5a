import Domain
import HTTP

/// A file in gzip (RFC 1952), around the deflated stream that zips hold of it: nothing is compressed again.
struct GzipStream {
    /// No name, no time, of no system: the same bytes on every server.
    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    /// The header, the CRC and the size.
    private static let framing = header.count + 8

    let stream: DeflatedStream
    private let trailer: [UInt8]

    /// `nil` where the file has no stream, or is no smaller in gzip.
    init?(_ content: FileContent) {
        guard let stream = content.deflated, stream.size + Self.framing < content.size else { return nil }
        self.stream = stream
        let size = UInt32(truncatingIfNeeded: content.size)
        trailer = [content.crc32, size].flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    }

    /// The whole, with the stream as an open file.
    func pieces(around region: FileRegion) -> [BodyPiece] {
        [.bytes(Self.header), .file(region), .bytes(trailer)]
    }
}
