/// One of the pieces that a body is put together from.
package enum BodyPiece: Sendable {
    case bytes([UInt8])
    case file(FileRegion)

    /// How many bytes it has.
    package var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(let region): region.count
        }
    }
}
