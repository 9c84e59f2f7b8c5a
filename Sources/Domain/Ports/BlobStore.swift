/// Immutable bytes under their SHA-256.
///
/// Every call may block: to be made on a work executor, but for ``open(_:)``, which an event loop may make (decision
/// 0006).
package protocol BlobStore: Sendable {
    /// The blob, open for reading; `nil` where there is none.
    func open(_ digest: SHA256Digest) throws(PlatformError) -> OpenBlob?
    /// A new place for blobs that become visible together; throws `storageFull` or `storageFailed`.
    func stage() throws(PlatformError) -> any BlobStaging
    /// Removes what an earlier process left: staged files, and blobs that nothing refers to. Only while nothing is
    /// staged. The number of blobs removed.
    func sweep(keeping known: Set<SHA256Digest>) throws(PlatformError) -> Int

    /// Marks blobs for removal, but for those that a staging holds; gives the marked ones.
    ///
    /// Called before it is looked whether metadata refer to them: whoever refers to one from then on has staged it since,
    /// which takes the mark away. A mark that nothing comes of does no harm. Does not block.
    func condemn(_ digests: Set<SHA256Digest>) -> Set<SHA256Digest>
    /// Permits the removal of blobs for as long as the permit lives; `nil` while a backup copies blobs.
    ///
    /// Held from before metadata forget the blobs, so that a backup either copies metadata without them or keeps them.
    func permitRemoval(at now: Timestamp) throws(PlatformError) -> RemovalPermit?
    /// Removes those of the blobs that are still marked, one by one; the number of them.
    func removeCondemned(_ digests: Set<SHA256Digest>) throws(PlatformError) -> Int
}

/// The permission to remove blobs; ends with its last reference.
package final class RemovalPermit: Sendable {
    private let end: @Sendable () -> Void

    /// - Parameter end: Called once, at the end.
    package init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}

/// Blobs in the making.
///
/// What is not committed goes with ``discard()``; where that was left out, when the last reference is dropped, on
/// whichever thread that happens, or at the next start.
///
/// Belongs to one publishing and is used by one thread at a time.
package protocol BlobStaging: AnyObject, Sendable {
    /// A new file to write a blob into.
    func newBlob() throws(PlatformError) -> any BlobFile
    /// A new file that never becomes a blob (an upload).
    func newScratch() throws(PlatformError) -> any BlobFile
    /// A blob of this staging, or of the store.
    func open(_ digest: SHA256Digest) throws(PlatformError) -> OpenBlob?
    /// Makes every finished blob durable and visible: files synced, renamed, directories synced.
    func commit() throws(PlatformError)
    /// Removes what was not committed; nothing more is staged then, and ``records`` stay.
    func discard()
    /// The finished blobs of this staging.
    var records: [BlobRecord] { get }
}

/// A file being written, from front to back.
package protocol BlobFile: AnyObject, Sendable {
    /// Where it lies, for libraries that want to read by path or descriptor.
    var path: String { get }
    /// Bytes written so far.
    var size: Int { get }
    func write(_ bytes: UnsafeRawBufferPointer) throws(PlatformError)
    /// Ends the file and names its blob; one that exists already is not stored again.
    func finish(as digest: SHA256Digest) throws(PlatformError)
}

/// An open blob; the descriptor stays open for as long as this lives, and is read by position only.
package final class OpenBlob: Sendable {
    package let descriptor: Int32
    package let size: Int
    /// When these bytes came into the store.
    package let storedAt: Timestamp
    private let read: @Sendable (Int32, Int) -> [UInt8]?
    private let close: @Sendable (Int32) -> Void

    /// - Parameters:
    ///   - read: Reads so many bytes from the beginning of a descriptor; `nil` where it cannot.
    ///   - close: Called once with the descriptor, at the end.
    package init(
        descriptor: Int32, size: Int, storedAt: Timestamp, read: @escaping @Sendable (Int32, Int) -> [UInt8]?,
        close: @escaping @Sendable (Int32) -> Void
    ) {
        self.descriptor = descriptor
        self.size = size
        self.storedAt = storedAt
        self.read = read
        self.close = close
    }

    deinit { close(descriptor) }

    /// Reads all bytes, for blobs that are small; `nil` where they cannot be read.
    package func readAll() -> [UInt8]? { read(descriptor, size) }
}
