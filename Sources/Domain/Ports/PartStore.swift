package import Ground

/// The store of incomplete uploads' files and descriptions; both survive a restart.
///
/// Every call except ``path(of:)`` blocks and belongs on a work executor. Each throws `storageFull` or `storageFailed`.
package protocol PartStore: Sendable {
    /// Returns the stored uploads; removes partially created or removed ones of an earlier process.
    func all() throws(PlatformError) -> [StoredPart]
    /// Creates an empty upload, durably.
    func make(_ upload: PartialUpload, at now: Timestamp) throws(PlatformError)
    /// Opens an upload's file for appending at an offset; truncates the rest.
    func open(_ id: UploadID, at offset: Int) throws(PlatformError) -> any PartFile
    /// Returns the path of an upload's file.
    func path(of id: UploadID) -> String
    /// Removes an upload; does nothing if there is none.
    func remove(_ id: UploadID) throws(PlatformError)
}

/// An upload as stored on disk.
package struct StoredPart: Sendable, Equatable {
    package let upload: PartialUpload
    package let size: Int
    /// The time when bytes were last saved, or the upload was created.
    package let savedAt: Timestamp

    package init(upload: PartialUpload, size: Int, savedAt: Timestamp) {
        self.upload = upload
        self.size = size
        self.savedAt = savedAt
    }
}

/// An upload's file while it is written; used by one thread at a time.
package protocol PartFile: AnyObject, Sendable {
    /// The bytes written; after a failed write, those before it.
    var size: Int { get }
    func append(_ bytes: [UInt8]) throws(PlatformError)
    /// Truncates the file to its first `size` bytes.
    func truncate(to size: Int) throws(PlatformError)
    /// Syncs the file and records the time in it.
    func save(at now: Timestamp) throws(PlatformError)
}
