import Domain

/// The limits of uploads that are not published yet, in parts or as the body of a request.
package struct UploadLimits: Sendable, Equatable {
    /// Bytes of one: those of a zip that is published.
    package var uploadBytes: Int
    /// Uploads of one token that are not published yet.
    package var openOfToken: Int
    /// The same of all tokens.
    package var openUploads: Int
    /// Bytes of all of them together, as they will be when they are whole.
    package var totalBytes: Int
    /// Bytes of all of one token's: at least one of the largest.
    package var bytesOfToken: Int
    /// Milliseconds from the last bytes of an upload, or its making, to its end.
    package var lifetime: Int64
    /// Milliseconds without a byte after which an upload gives way to another that there is no room for.
    package var untouched: Int64

    /// - Parameters:
    ///   - totalBytes: ``roomFactor`` of the largest where it is left out.
    ///   - bytesOfToken: Half of that where it is left out: no token's uploads keep those of all others out.
    package init(
        uploadBytes: Int = PackageLimits().uploadBytes, openOfToken: Int = 16, openUploads: Int = 128,
        totalBytes: Int? = nil, bytesOfToken: Int? = nil, lifetime: Int64 = 24 * 3_600_000,
        untouched: Int64 = 15 * 60_000
    ) {
        self.uploadBytes = uploadBytes
        self.openOfToken = openOfToken
        self.openUploads = openUploads
        let total = totalBytes ?? Self.roomFactor * uploadBytes
        self.totalBytes = total
        self.bytesOfToken = bytesOfToken ?? max(total / 2, uploadBytes)
        self.lifetime = lifetime
        self.untouched = untouched
    }

    /// How many of the largest uploads there is room for at once.
    package static let roomFactor = 8
}
