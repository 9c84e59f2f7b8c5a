import Domain
import HTTP

/// A gzip file (RFC 1952) around the deflated stream of a zip entry, so that nothing is compressed again.
struct GzipStream {
    /// A header without name, time and system: equal bytes on every server.
    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    /// The bytes of the header, the CRC and the size.
    private static let framing = header.count + 8

    let stream: DeflatedStream
    private let trailer: [UInt8]

    /// Fails if the file has no deflated stream, or is not smaller in gzip.
    init?(_ content: FileContent) {
        guard let stream = content.deflated, stream.size + Self.framing < content.size else { return nil }
        self.stream = stream
        let size = UInt32(truncatingIfNeeded: content.size)
        trailer = [content.crc32, size].flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    }

    /// Returns the gzip file as pieces, with the stream as an open file.
    func pieces(around region: FileRegion) -> [BodyPiece] {
        [.bytes(Self.header), .file(region), .bytes(trailer)]
    }
}
