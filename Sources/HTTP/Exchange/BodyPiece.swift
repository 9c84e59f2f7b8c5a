/// One piece of a body: bytes or part of a file.
package enum BodyPiece: Sendable {
    case bytes([UInt8])
    case file(FileRegion)

    /// The number of bytes.
    package var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(let region): region.count
        }
    }
}
