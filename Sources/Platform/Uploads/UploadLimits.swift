import Domain

/// The limits on unpublished uploads, in parts or in the body of a request.
package struct UploadLimits: Sendable, Equatable {
    /// The bytes of one upload; equal to the limit of a published zip.
    package var uploadBytes: Int
    /// The number of unpublished uploads of one token.
    package var openOfToken: Int
    /// The number of unpublished uploads of all tokens.
    package var openUploads: Int
    /// The total bytes of all uploads at their full length.
    package var totalBytes: Int
    /// The total bytes of one token's uploads; at least the largest upload.
    package var bytesOfToken: Int
    /// The milliseconds from the last bytes of an upload, or its creation, to its expiry.
    package var lifetime: Int64
    /// The milliseconds without a byte after which an upload may be removed to make room for another.
    package var untouched: Int64

    /// - Parameters:
    ///   - totalBytes: Defaults to ``quotaFactor`` times the largest upload.
    ///   - bytesOfToken: Defaults to half of that, so that no token can exclude all others.
    package init(
        uploadBytes: Int = PackageLimits().uploadBytes, openOfToken: Int = 16, openUploads: Int = 128,
        totalBytes: Int? = nil, bytesOfToken: Int? = nil, lifetime: Int64 = 24 * 3_600_000,
        untouched: Int64 = 15 * 60_000
    ) {
        self.uploadBytes = uploadBytes
        self.openOfToken = openOfToken
        self.openUploads = openUploads
        let total = totalBytes ?? Self.quotaFactor * uploadBytes
        self.totalBytes = total
        self.bytesOfToken = bytesOfToken ?? max(total / 2, uploadBytes)
        self.lifetime = lifetime
        self.untouched = untouched
    }

    /// The number of uploads of the maximum size that the default quota admits at once.
    package static let quotaFactor = 8
}
