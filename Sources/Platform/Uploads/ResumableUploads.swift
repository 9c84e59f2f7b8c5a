package import Domain
package import Execution
import Synchronization

/// Uploads that come in parts and go on where they stopped, also after a restart; each belongs to one token.
package final class ResumableUploads: Sendable {
    let parts: any PartStore
    let cryptography: any Cryptography
    let work: WorkExecutor
    let clock: any WallClock
    let state: Mutex<OpenUploads>
    private let wake = AsyncFlag()
    package let limits: UploadLimits

    /// Between two looks for uploads whose time is over.
    private static let pause: Duration = .seconds(3600)

    package init(
        parts: any PartStore, cryptography: any Cryptography, work: WorkExecutor, clock: any WallClock,
        limits: UploadLimits
    ) {
        self.parts = parts
        self.cryptography = cryptography
        self.work = work
        self.clock = clock
        self.limits = limits
        state = Mutex(OpenUploads(limits: limits))
    }

    /// Takes over what an earlier process left, and removes what is too old; how many that were.
    package func load() async throws(PlatformError) -> Int {
        let parts = parts
        let stored = try await work.run { () throws(PlatformError) in try parts.all() }
        let now = clock.now()
        state.withLock { open in
            for part in stored { open.restore(part, at: now) }
        }
        return try await sweep()
    }

    /// Removes every hour what is too old, until cancelled.
    ///
    /// - Parameter report: Called with how many went, or what kept them.
    package func run(report: @escaping @Sendable (Result<Int, PlatformError>) -> Void) async {
        await wake.wait(upTo: Self.pause)
        while !Task.isCancelled {
            do throws(PlatformError) {
                report(.success(try await sweep()))
            } catch {
                report(.failure(error))
            }
            await wake.wait(upTo: Self.pause)
        }
    }

    /// Removes the uploads whose time is over; how many.
    ///
    /// Files that cannot be removed are looked at again at the next start.
    package func sweep() async throws(PlatformError) -> Int {
        let now = clock.now()
        let expired = state.withLock { $0.removeExpired(at: now) }
        try await removeFiles(of: expired)
        return expired.count
    }

    /// Begins an upload of so many bytes.
    ///
    /// Throws `bodyTooLarge`, `tooManyUploads`, `storageFull` or `storageFailed`.
    ///
    /// - Parameter metadata: What the client wants to be told again.
    package func create(
        length: Int, metadata: String?, by author: Operator
    ) async throws(PlatformError) -> UploadStatus {
        guard length <= limits.uploadBytes else {
            throw PlatformError(zipLargerThan: limits.uploadBytes)
        }
        // Those whose time is over take no room from new ones; a file that cannot be removed is not this client's matter.
        _ = try? await sweep()
        let id = UploadID(random: cryptography.randomBytes(UploadID.byteCount))
        let upload = PartialUpload(id: id, owner: author.token, length: length, metadata: metadata)
        let now = clock.now()
        let removed = try state.withLock { (open) throws(PlatformError) in try open.add(upload, at: now) }
        defer { release(id) }
        try? await removeFiles(of: removed)
        let parts = parts
        do throws(PlatformError) {
            try await work.run { () throws(PlatformError) in try parts.make(upload, at: now) }
        } catch {
            state.withLock { $0.remove(id) }
            throw error
        }
        return try status(of: id, for: author)
    }

    /// How far an upload is; throws `uploadNotFound` or `uploadGone`.
    package func status(of id: UploadID, for author: Operator) throws(PlatformError) -> UploadStatus {
        let now = clock.now()
        return try state.withLock { (open) throws(PlatformError) in
            try open.status(of: id, for: author.token, at: now)
        }
    }

    /// Ends an upload; throws `uploadNotFound`, `uploadGone` or `uploadLocked`.
    package func delete(_ id: UploadID, by author: Operator) async throws(PlatformError) {
        _ = try hold(id, for: author)
        defer { release(id) }
        state.withLock { $0.remove(id) }
        try await removeFiles(of: id)
    }

    /// Runs `body` with the file of an upload that is whole.
    ///
    /// The upload goes when that succeeds. It stays when something is in the way: a waiver or another parameter may do
    /// away with it, and the bytes need not come again.
    ///
    /// Throws `conflict` where bytes are missing, what ``delete(_:by:)`` throws, and what `body` throws.
    ///
    /// - Parameter isStillNeeded: Whether the upload stays after such a result.
    package func consume<Result: Sendable>(
        _ id: UploadID, by author: Operator, unless isStillNeeded: (Result) -> Bool = { _ in false },
        _ body: (ReceivedZip) async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        let status = try hold(id, for: author)
        defer { release(id) }
        guard status.isWhole else {
            throw PlatformError(
                .conflict,
                "Upload \(id) has \(status.offset) of \(status.upload.length) bytes: send the rest of it first.")
        }
        let result = try await body(ReceivedZip(path: parts.path(of: id), size: status.offset))
        guard !isStillNeeded(result) else { return result }
        state.withLock { $0.remove(id) }
        // It is published: what cannot be removed now is removed after the next start, when its time is over.
        try? await removeFiles(of: id)
        return result
    }

    /// Removes the uploads of a token that was revoked, all but one that is being worked on: that one's time will be over.
    ///
    /// Throws `storageFailed`.
    package func deleteAll(ofToken token: Int64) async throws(PlatformError) {
        try await removeFiles(of: state.withLock { $0.removeAll(of: token) })
    }

    /// Removes what it can of each; throws the first failure.
    ///
    /// What is left goes at the next start.
    func removeFiles(of ids: [UploadID]) async throws(PlatformError) {
        var failure: PlatformError?
        for id in ids {
            do throws(PlatformError) { try await removeFiles(of: id) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func removeFiles(of id: UploadID) async throws(PlatformError) {
        let parts = parts
        try await work.run { () throws(PlatformError) in try parts.remove(id) }
    }

    func hold(_ id: UploadID, for author: Operator) throws(PlatformError) -> UploadStatus {
        let now = clock.now()
        return try state.withLock { (open) throws(PlatformError) in try open.hold(id, for: author.token, at: now) }
    }

    func release(_ id: UploadID) { state.withLock { $0.release(id) } }
}
