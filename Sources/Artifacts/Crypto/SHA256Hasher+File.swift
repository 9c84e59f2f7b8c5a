package import Domain

extension SHA256Hasher {
    /// Returns the digest of the first `size` bytes of an open file.
    ///
    /// The descriptor remains the caller's. Throws `storageFailed` if the file is shorter.
    package static func digest(of descriptor: Int32, size: Int) throws(PlatformError) -> SHA256Digest {
        var hasher = SHA256Hasher()
        try PositionedFile.forEachPiece(of: descriptor, upTo: size) { hasher.update($0) }
        return hasher.finish()
    }
}
