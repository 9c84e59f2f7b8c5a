package import Domain

extension PackageLimits {
    /// For an archive whose digest was signed: only what no zip without zip64 can pass.
    ///
    /// What a publisher may upload is the server's to say: its limits can be raised, and it packs files anew.
    package static let signedArchive = PackageLimits(
        uploadBytes: ZipHeaders.maximumSize, fileCount: ZipHeaders.maximumEntries, fileBytes: ZipHeaders.maximumSize,
        totalBytes: ZipHeaders.maximumSize * maximumDeflateRatio, compressionRatio: maximumDeflateRatio)

    /// Deflate says 258 bytes in 2 bits at best (RFC 1951 §3.2.5).
    private static let maximumDeflateRatio = 1032
}
