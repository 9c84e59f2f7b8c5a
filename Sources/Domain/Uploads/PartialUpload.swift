/// What was said of an upload when it was made; never changes.
package struct PartialUpload: Sendable, Equatable {
    package let id: UploadID
    /// The token that made it, to which it belongs; `nil` for the server itself.
    package let owner: Int64?
    /// Bytes that it has when it is whole.
    package let length: Int
    /// As the client wrote it; for the client alone.
    package let metadata: String?

    package init(id: UploadID, owner: Int64?, length: Int, metadata: String?) {
        self.id = id
        self.owner = owner
        self.length = length
        self.metadata = metadata
    }
}

/// How far an upload is.
package struct UploadStatus: Sendable, Equatable {
    package let upload: PartialUpload
    /// Bytes that are on the disk, to go on from.
    package let offset: Int
    /// When it goes unless more of it comes.
    package let expiresAt: Timestamp

    /// Bytes that are still to come.
    package var missing: Int { upload.length - offset }
    package var isWhole: Bool { offset == upload.length }

    package init(upload: PartialUpload, offset: Int, expiresAt: Timestamp) {
        self.upload = upload
        self.offset = offset
        self.expiresAt = expiresAt
    }
}
