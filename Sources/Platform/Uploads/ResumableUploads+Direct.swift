package import Domain
import Synchronization

extension ResumableUploads {
    /// An upload that comes as the body of one request, as far as its bytes are counted.
    package struct Direct: Sendable {
        fileprivate let id: UploadID
        /// Whether the request said how many bytes it has; those are counted from the beginning.
        fileprivate let isDeclared: Bool
    }

    /// Runs `body` while an upload that comes as the body of a request counts against the limits.
    ///
    /// Throws `tooManyUploads`, and what `body` throws.
    ///
    /// - Parameter length: The bytes that the request says it has; `nil` if it does not say.
    package func receiving<Result>(
        length: Int?, by author: Operator, _ body: (Direct) async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        _ = try? await sweep()
        let id = UploadID(random: cryptography.randomBytes(UploadID.byteCount))
        let upload = PartialUpload(
            id: id, owner: author.token, length: min(length ?? 0, limits.uploadBytes), metadata: nil)
        let now = clock.now()
        let removed = try state.withLock { (open) throws(PlatformError) in try open.add(upload, at: now) }
        defer { state.withLock { $0.end(id) } }
        try? await removeFiles(of: removed)
        return try await body(Direct(id: id, isDeclared: length != nil))
    }

    /// Counts bytes that have come.
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
