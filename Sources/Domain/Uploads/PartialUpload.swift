package import Ground

/// The immutable description of an upload.
package struct PartialUpload: Sendable, Equatable {
    package let id: UploadID
    /// The owning token or user; `nil` for the server itself.
    package let owner: Principal?
    /// The bytes of the complete upload.
    package let length: Int
    /// The client's metadata, which only the client interprets.
    package let metadata: String?

    package init(id: UploadID, owner: Principal?, length: Int, metadata: String?) {
        self.id = id
        self.owner = owner
        self.length = length
        self.metadata = metadata
    }
}

/// The progress of an upload.
package struct UploadStatus: Sendable, Equatable {
    package let upload: PartialUpload
    /// The bytes on disk, from which the client continues.
    package let offset: Int
    /// The time of expiry unless more bytes arrive.
    package let expiresAt: Timestamp

    /// The bytes that are missing.
    package var missing: Int { upload.length - offset }
    package var isWhole: Bool { offset == upload.length }

    package init(upload: PartialUpload, offset: Int, expiresAt: Timestamp) {
        self.upload = upload
        self.offset = offset
        self.expiresAt = expiresAt
    }
}
