package import Domain
import Execution
import Synchronization

extension ResumableUploads {
    /// The bytes that one request adds to an upload.
    package struct Part: Sendable {
        /// The offset that the client believes the upload to have.
        package let offset: Int
        /// The number of bytes that the request declares; `nil` if it declares none.
        package let length: Int?
        package let checksum: Checksum?

        package init(offset: Int, length: Int?, checksum: Checksum?) {
            self.offset = offset
            self.length = length
            self.checksum = checksum
        }
    }

    /// Appends bytes to an upload.
    ///
    /// If the connection breaks or the disk is full, the bytes received so far stay, unchecked. A part that is too long
    /// or has another checksum is discarded as a whole.
    ///
    /// Throws `uploadNotFound`, `uploadGone`, `uploadLocked` while another request holds the upload, `wrongOffset`,
    /// `bodyTooLarge`, `checksumMismatch`, `storageFull`, `storageFailed`, and the errors of `next`.
    ///
    /// - Parameter next: Returns the next piece; `nil` at the end.
    package func append(
        _ part: Part, to id: UploadID, by author: Operator, next: () async throws(PlatformError) -> [UInt8]?
    ) async throws(PlatformError) -> UploadStatus {
        let status = try hold(id, for: author)
        defer { release(id) }
        guard part.offset == status.offset else {
            throw PlatformError(
                .wrongOffset, "Upload \(id) has \(status.offset) bytes, not \(part.offset). Continue from there.")
        }
        guard (part.length ?? 0) <= status.missing else { throw Self.tooLong(status.upload) }
        let parts = parts
        let file = try await work.run { () throws(PlatformError) in try parts.open(id, at: part.offset) }
        do throws(PlatformError) {
            try await receive(part, of: status.upload, into: file, next: next)
        } catch {
            switch error.code {
            case .bodyTooLarge, .checksumMismatch:
                try await work.run { () throws(PlatformError) in try file.truncate(to: part.offset) }
            default: break
            }
            // The first failure is the one to report.
            _ = try? await save(file, of: id)
            throw error
        }
        return try await save(file, of: id) ?? status
    }

    private func receive(
        _ part: Part, of upload: PartialUpload, into file: any PartFile,
        next: () async throws(PlatformError) -> [UInt8]?
    ) async throws(PlatformError) {
        let digest = try part.checksum.map { (checksum) throws(PlatformError) in
            try cryptography.digest(checksum.algorithm)
        }
        while let piece = try await next() {
            guard file.size + piece.count <= upload.length else { throw Self.tooLong(upload) }
            try await work.run { () throws(PlatformError) in
                digest?.update(piece)
                try file.append(piece)
            }
        }
        guard digest?.finish() == part.checksum?.value else {
            throw PlatformError(
                .checksumMismatch, "The bytes do not match the checksum. Send this part again.")
        }
    }

    /// Syncs the file and returns the upload's new status.
    private func save(_ file: any PartFile, of id: UploadID) async throws(PlatformError) -> UploadStatus? {
        let now = clock.now()
        try await work.run { () throws(PlatformError) in try file.save(at: now) }
        return state.withLock { $0.advance(id, to: file.size, at: now) }
    }

    private static func tooLong(_ upload: PartialUpload) -> PlatformError {
        PlatformError(
            .bodyTooLarge,
            "This part exceeds the \(upload.length) bytes of upload \(upload.id). Nothing of it was stored.")
    }
}
