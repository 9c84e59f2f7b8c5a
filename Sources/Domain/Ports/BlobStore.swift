package import Ground

/// A store of immutable bytes under their SHA-256.
///
/// Every call may block and belongs on a work executor, except ``locate(_:)`` and those that say otherwise, which an
/// event loop may call (decision 0006).
package protocol BlobStore: Sendable {
    /// Opens a blob for reading if it is on the local disk; never waits for another machine.
    ///
    /// By default all blobs are local.
    func locate(_ digest: SHA256Digest) throws(PlatformError) -> BlobLocation
    /// Opens a blob for reading, and fetches it if it is elsewhere; returns `nil` if there is none.
    func open(_ digest: SHA256Digest) throws(PlatformError) -> OpenBlob?
    /// Returns the facts of a blob without fetching it; `nil` if there is none.
    func describe(_ digest: SHA256Digest) throws(PlatformError) -> BlobFacts?
    /// Whether devices may be sent to another machine for blobs now; does not block.
    var hasLinks: Bool { get }
    /// Returns a URL at which anyone can get a blob for ``BlobLink/validity``; `nil` if only this server sends blobs.
    ///
    /// It does not check that the blob exists, and does not block.
    func link(to digest: SHA256Digest, _ heading: BlobLink.Heading) -> String?
    /// Creates a staging for blobs that become visible together; throws `storageFull` or `storageFailed`.
    func stage() throws(PlatformError) -> any BlobStaging
    /// Removes staged files and unreferenced blobs of an earlier process; returns the number of removed blobs.
    ///
    /// Call it only while nothing is staged.
    func sweep(keeping known: Set<SHA256Digest>) throws(PlatformError) -> Int

    /// Marks blobs for removal, except those that a staging holds; returns the marked ones.
    ///
    /// Call it before checking that metadata do not reference the blobs: a later reference requires staging the blob,
    /// which clears the mark. A mark without a removal does no harm. Does not block.
    func condemn(_ digests: Set<SHA256Digest>) -> Set<SHA256Digest>
    /// Permits the removal of blobs for the lifetime of the permit; returns `nil` while a backup copies blobs.
    ///
    /// Take it before metadata forget the blobs, so that a backup either copies metadata without them or keeps them.
    func permitRemoval(at now: Timestamp) throws(PlatformError) -> RemovalPermit?
    /// Removes the blobs that are still marked, one by one; returns their number.
    func removeCondemned(_ digests: Set<SHA256Digest>) throws(PlatformError) -> Int
    /// Removes blobs like ``removeCondemned(_:)``, and nothing after the end of the permit.
    func removeCondemned(_ digests: Set<SHA256Digest>, under permit: RemovalPermit) throws(PlatformError) -> Int
    /// Returns the blobs whose removal may still happen, although it was not confirmed.
    func uncertainRemovals(among digests: Set<SHA256Digest>) -> Set<SHA256Digest>
    /// The store of the removals by all servers that share the blobs; `nil` if only this one removes any.
    var removals: (any BlobRemovalStore)? { get }
    /// Forgets which blobs are missing: another node may have stored them.
    func forgetAbsences()
    /// The figures of a store whose blobs are elsewhere; `nil` if they are local.
    var figures: BlobStoreFigures? { get }
}

extension BlobStore {
    package func locate(_ digest: SHA256Digest) throws(PlatformError) -> BlobLocation {
        try open(digest).map { .open($0) } ?? .missing
    }

    package func describe(_ digest: SHA256Digest) throws(PlatformError) -> BlobFacts? {
        try open(digest).map { BlobFacts(size: $0.size, storedAt: $0.storedAt) }
    }

    package func removeCondemned(
        _ digests: Set<SHA256Digest>, under permit: RemovalPermit
    ) throws(PlatformError) -> Int {
        try removeCondemned(digests)
    }

    package func uncertainRemovals(among digests: Set<SHA256Digest>) -> Set<SHA256Digest> { [] }

    package var removals: (any BlobRemovalStore)? { nil }

    package func forgetAbsences() {}

    package var hasLinks: Bool { false }

    package func link(to digest: SHA256Digest, _ heading: BlobLink.Heading) -> String? { nil }

    package var figures: BlobStoreFigures? { nil }
}

/// The result of a search on the local disk.
package enum BlobLocation: Sendable {
    case open(OpenBlob)
    /// The store does not have the blob.
    case missing
    /// The blob is not on the local disk; only ``BlobStore/open(_:)`` shows whether the store has it.
    case remote
}

/// The facts about a blob that a response without a body states.
package struct BlobFacts: Sendable, Equatable {
    package let size: Int
    /// The time when the bytes entered the store; `nil` if it is unknown.
    package let storedAt: Timestamp?

    package init(size: Int, storedAt: Timestamp?) {
        self.size = size
        self.storedAt = storedAt
    }
}

/// The figures of a store of blobs in a bucket since the start, and the content of its cache.
package struct BlobStoreFigures: Sendable, Equatable {
    package let hits: Int
    package let misses: Int
    package let fills: Int
    package let evictions: Int
    package let cachedBytes: Int
    package let cachedFiles: Int
    /// The requests to the bucket, and those that failed.
    package let requests: Int
    package let failures: Int

    package init(
        hits: Int, misses: Int, fills: Int, evictions: Int, cachedBytes: Int, cachedFiles: Int, requests: Int,
        failures: Int
    ) {
        self.hits = hits
        self.misses = misses
        self.fills = fills
        self.evictions = evictions
        self.cachedBytes = cachedBytes
        self.cachedFiles = cachedFiles
        self.requests = requests
        self.failures = failures
    }
}

/// A permission to remove blobs; its `deinit` ends it.
package final class RemovalPermit: Sendable {
    /// The time after which no removal may begin, by the clock that dates removals; `nil` for no limit.
    package let deadline: Timestamp?
    private let end: @Sendable () -> Void

    /// - Parameter end: Called once, at the end.
    package init(until deadline: Timestamp? = nil, end: @escaping @Sendable () -> Void) {
        self.deadline = deadline
        self.end = end
    }

    deinit { end() }
}

/// A staging of blobs that are being written.
///
/// ``discard()`` removes uncommitted files; without that call, dropping the last reference does so on its thread, or
/// else the next start.
///
/// A staging belongs to one publishing and is used by one thread at a time.
package protocol BlobStaging: AnyObject, Sendable {
    /// Creates a file for a new blob.
    func newBlob() throws(PlatformError) -> any BlobFile
    /// Creates a file that never becomes a blob, such as an upload.
    func newScratch() throws(PlatformError) -> any BlobFile
    /// Opens a blob of this staging or of the store.
    func open(_ digest: SHA256Digest) throws(PlatformError) -> OpenBlob?
    /// Makes every finished blob durable and visible: files synced, renamed, directories synced.
    func commit() throws(PlatformError)
    /// Removes uncommitted files; ``records`` stay.
    func discard()
    /// The finished blobs of this staging.
    var records: [BlobRecord] { get }
}

/// A file that is written sequentially.
package protocol BlobFile: AnyObject, Sendable {
    /// The file's path, for libraries that read by path or descriptor.
    var path: String { get }
    /// The bytes written so far.
    var size: Int { get }
    func write(_ bytes: UnsafeRawBufferPointer) throws(PlatformError)
    /// Finishes the file as a blob; an existing blob is not stored again.
    func finish(as digest: SHA256Digest) throws(PlatformError)
}

/// An open blob.
///
/// The descriptor stays open for the lifetime of this object, and is read by position only.
package final class OpenBlob: Sendable {
    package let descriptor: Int32
    package let size: Int
    /// The time when the bytes entered the store.
    package let storedAt: Timestamp
    /// Whether the descriptor may be kept open for later requests; otherwise an evicted file would occupy the disk.
    package let mayBeKept: Bool
    private let read: @Sendable (Int32, Int) -> [UInt8]?
    private let close: @Sendable (Int32) -> Void

    /// - Parameters:
    ///   - read: Reads a number of bytes from the beginning of a descriptor; returns `nil` on failure.
    ///   - close: Called once with the descriptor, at the end.
    package init(
        descriptor: Int32, size: Int, storedAt: Timestamp, mayBeKept: Bool = true,
        read: @escaping @Sendable (Int32, Int) -> [UInt8]?,
        close: @escaping @Sendable (Int32) -> Void
    ) {
        self.descriptor = descriptor
        self.size = size
        self.storedAt = storedAt
        self.mayBeKept = mayBeKept
        self.read = read
        self.close = close
    }

    deinit { close(descriptor) }

    /// Reads all bytes of a small blob; returns `nil` if they cannot be read.
    package func readAll() -> [UInt8]? { read(descriptor, size) }
}
