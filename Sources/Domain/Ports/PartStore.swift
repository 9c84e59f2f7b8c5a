/// The files of uploads that are not whole yet, and what was said of them; both survive a restart.
///
/// Every call but ``path(of:)`` blocks: to be made on a work executor. Each throws `storageFull` or `storageFailed`.
package protocol PartStore: Sendable {
    /// The uploads that there are; removes what an earlier process left behind half made or half removed.
    func all() throws(PlatformError) -> [StoredPart]
    /// Makes an upload, durably and without a byte.
    func make(_ upload: PartialUpload, at now: Timestamp) throws(PlatformError)
    /// Opens an upload's file to go on at a place; what lies behind it is cut off.
    func open(_ id: UploadID, at offset: Int) throws(PlatformError) -> any PartFile
    /// Where an upload's file lies.
    func path(of id: UploadID) -> String
    /// Removes an upload; none being there is no error.
    func remove(_ id: UploadID) throws(PlatformError)
}

/// An upload as it lies on the disk.
package struct StoredPart: Sendable, Equatable {
    package let upload: PartialUpload
    package let size: Int
    /// When bytes of it were saved last, or it was made.
    package let savedAt: Timestamp

    package init(upload: PartialUpload, size: Int, savedAt: Timestamp) {
        self.upload = upload
        self.size = size
        self.savedAt = savedAt
    }
}

/// An upload's file while it is written; used by one thread at a time.
package protocol PartFile: AnyObject, Sendable {
    /// Bytes that are written; after a failure those that were before.
    var size: Int { get }
    func append(_ bytes: [UInt8]) throws(PlatformError)
    /// Cuts off what follows the first so many bytes.
    func truncate(to size: Int) throws(PlatformError)
    /// Returns when what was written is on the disk, and the file says when that was.
    func save(at now: Timestamp) throws(PlatformError)
}
