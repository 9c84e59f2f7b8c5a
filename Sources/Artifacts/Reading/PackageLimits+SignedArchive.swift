package import Domain

extension PackageLimits {
    /// The limits for an archive with a signed digest: those of a zip without zip64.
    ///
    /// Only the server limits uploads: its limits can be raised, and it repacks the files.
    package static let signedArchive = PackageLimits(
        uploadBytes: ZipHeaders.maximumSize, fileCount: ZipHeaders.maximumEntries, fileBytes: ZipHeaders.maximumSize,
        totalBytes: ZipHeaders.maximumSize * maximumDeflateRatio, compressionRatio: maximumDeflateRatio)

    /// The maximum ratio of deflate: 258 bytes in 2 bits (RFC 1951 §3.2.5).
    private static let maximumDeflateRatio = 1032
}
