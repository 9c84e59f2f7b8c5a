package import Domain

/// The header of a delta patch: its format, its base and its result.
package struct DeltaHeader: Equatable, Sendable {
    /// The tree hash of the base (semantics.md §1).
    package let baseTree: SHA256Digest
    package let tree: SHA256Digest
    /// The length in bytes of the frame with the manifest, which follows the header.
    let manifestLength: Int

    static let magic: [UInt8] = Array("LDELTA".utf8) + [0]
    static let version: UInt8 = 1
    static let length = magic.count + 1 + 32 + 32 + 4

    init(baseTree: SHA256Digest, tree: SHA256Digest, manifestLength: Int) {
        self.baseTree = baseTree
        self.tree = tree
        self.manifestLength = manifestLength
    }

    /// Throws `badPackage` unless the bytes begin with a patch of the known version.
    init(parsing bytes: [UInt8]) throws(PlatformError) {
        guard bytes.starts(with: Self.magic) else { throw DeltaRefusal.notADelta.error }
        guard bytes.count > Self.magic.count, bytes[Self.magic.count] == Self.version else {
            throw DeltaRefusal.unknownVersion.error
        }
        let digests = Self.magic.count + 1
        guard bytes.count >= Self.length,
            let baseTree = SHA256Digest(bytes: Array(bytes[digests..<(digests + 32)])),
            let tree = SHA256Digest(bytes: Array(bytes[(digests + 32)..<(digests + 64)]))
        else { throw DeltaRefusal.truncated.error }
        self.baseTree = baseTree
        self.tree = tree
        manifestLength = Int(bytes.littleEndian(UInt32.self, at: digests + 64))
        guard manifestLength <= bytes.count - Self.length else { throw DeltaRefusal.truncated.error }
    }

    var bytes: [UInt8] {
        var bytes = Self.magic + [Self.version] + baseTree.bytes + tree.bytes
        bytes.append(littleEndian: UInt32(manifestLength))
        return bytes
    }
}
