package import Domain

extension SHA256Hasher {
    /// The digest of the first so many bytes of an open file, which stays the caller's; throws `storageFailed` where it
    /// has fewer.
    package static func digest(of descriptor: Int32, size: Int) throws(PlatformError) -> SHA256Digest {
        var hasher = SHA256Hasher()
        try PositionedFile.forEachPiece(of: descriptor, upTo: size) { hasher.update($0) }
        return hasher.finish()
    }
}
