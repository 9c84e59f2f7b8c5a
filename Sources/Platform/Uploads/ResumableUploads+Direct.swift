package import Domain
import Synchronization

extension ResumableUploads {
    /// An upload in the body of one request, whose bytes count against the limits.
    package struct Direct: Sendable {
        fileprivate let id: UploadID
        /// Whether the request declares its length, which then counts from the beginning.
        fileprivate let isDeclared: Bool
    }

    /// Runs `body` while an upload in the body of a request counts against the limits.
    ///
    /// Throws `tooManyUploads`, and the errors of `body`.
    ///
    /// - Parameter length: The declared length of the request's body; `nil` if it is unknown.
    package func receiving<Result>(
        length: Int?, by author: Operator, _ body: (Direct) async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        _ = try? await sweep()
        let id = UploadID(random: cryptography.randomBytes(UploadID.byteCount))
        let upload = PartialUpload(
            id: id, owner: author.principal, length: min(length ?? 0, limits.uploadBytes), metadata: nil)
        let now = clock.now()
        let removed = try state.withLock { (open) throws(PlatformError) in try open.add(upload, at: now) }
        defer { state.withLock { $0.end(id) } }
        try? await removeFiles(of: removed)
        return try await body(Direct(id: id, isDeclared: length != nil))
    }

    /// Counts received bytes.
    ///
    /// Throws `tooManyUploads`.
    package func count(_ bytes: Int, of direct: Direct) async throws(PlatformError) {
        guard !direct.isDeclared else { return }
        let now = clock.now()
        let removed = try state.withLock { (open) throws(PlatformError) in
            try open.grow(direct.id, by: bytes, at: now)
        }
        try? await removeFiles(of: removed)
    }
}
