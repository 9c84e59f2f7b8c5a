package import Domain
package import Execution
import Ground
import Synchronization

/// The use cases of uploads that arrive in parts and survive restarts; each upload belongs to one token or user.
package final class ResumableUploads: Sendable {
    let parts: any PartStore
    private let tokens: any TokenStore
    let cryptography: any Cryptography
    let work: WorkExecutor
    let clock: any WallClock
    let state: Mutex<OpenUploads>
    private let wake = AsyncFlag()
    package let limits: UploadLimits

    /// The pause between two checks for expired uploads.
    private static let pause: Duration = .seconds(3600)

    /// - Parameter isShared: Whether other nodes may have uploads that this one lacks.
    package init(
        parts: any PartStore, tokens: any TokenStore, cryptography: any Cryptography, work: WorkExecutor,
        clock: any WallClock, limits: UploadLimits, isShared: Bool = false
    ) {
        self.parts = parts
        self.tokens = tokens
        self.cryptography = cryptography
        self.work = work
        self.clock = clock
        self.limits = limits
        state = Mutex(OpenUploads(limits: limits, isShared: isShared))
    }

    /// Loads the uploads of an earlier process and removes expired ones; returns the number removed.
    package func load() async throws(PlatformError) -> Int {
        let parts = parts
        let stored = try await work.run { () throws(PlatformError) in try parts.all() }
        let now = clock.now()
        state.withLock { open in
            for part in stored { open.restore(part, at: now) }
        }
        return try await sweep()
    }

    /// Removes expired uploads every hour, until cancelled.
    ///
    /// - Parameter report: Called with the number of removed uploads, or the failure.
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

    /// Removes expired uploads, and those of tokens that have ended, such as the tokens of CI jobs; returns their number.
    ///
    /// The next start retries files that cannot be removed.
    package func sweep() async throws(PlatformError) -> Int {
        let now = clock.now()
        let ended = await endedTokens(at: now)
        let removed = state.withLock { open in
            open.removeExpired(at: now) + ended.flatMap { open.removeAll(of: .token($0)) }
        }
        try await removeFiles(of: removed)
        return removed.count
    }

    /// Returns the tokens with uploads that are no longer valid; none while the store does not respond.
    private func endedTokens(at now: Timestamp) async -> [Int64] {
        let owners = state.withLock { $0.tokens }
        guard !owners.isEmpty, let known = try? await tokens.tokens(Array(owners)) else { return [] }
        return owners.subtracting(known.filter { $0.isValid(at: now) }.map(\.id)).sorted()
    }

    /// Creates an upload of a given length.
    ///
    /// Throws `bodyTooLarge`, `tooManyUploads`, `storageFull` or `storageFailed`.
    ///
    /// - Parameter metadata: Metadata that later responses return to the client.
    package func create(
        length: Int, metadata: String?, by author: Operator
    ) async throws(PlatformError) -> UploadStatus {
        guard length <= limits.uploadBytes else {
            throw PlatformError(zipLargerThan: limits.uploadBytes)
        }
        // Expired uploads take no room from new ones; a failed removal is no fault of this client.
        _ = try? await sweep()
        let id = UploadID(random: cryptography.randomBytes(UploadID.byteCount))
        let upload = PartialUpload(id: id, owner: author.principal, length: length, metadata: metadata)
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

    /// Returns the status of an upload; throws `uploadNotFound` or `uploadGone`.
    package func status(of id: UploadID, for author: Operator) throws(PlatformError) -> UploadStatus {
        let now = clock.now()
        return try state.withLock { (open) throws(PlatformError) in
            try open.status(of: id, for: author.principal, at: now)
        }
    }

    /// Deletes an upload; throws `uploadNotFound`, `uploadGone` or `uploadLocked`.
    package func delete(_ id: UploadID, by author: Operator) async throws(PlatformError) {
        _ = try hold(id, for: author)
        defer { release(id) }
        state.withLock { $0.remove(id) }
        try await removeFiles(of: id)
    }

    /// Runs `body` with the file of a complete upload.
    ///
    /// The upload is removed if `body` succeeds. It stays if `body` throws: a waiver or another parameter may solve the
    /// problem, and the bytes need not be sent again.
    ///
    /// Throws `conflict` if bytes are missing, the errors of ``delete(_:by:)``, and those of `body`.
    ///
    /// - Parameter isStillNeeded: Returns whether the upload stays despite a successful result.
    package func consume<Result: Sendable>(
        _ id: UploadID, by author: Operator, unless isStillNeeded: (Result) -> Bool = { _ in false },
        _ body: (ReceivedZip) async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        let status = try hold(id, for: author)
        defer { release(id) }
        guard status.isWhole else {
            throw PlatformError(
                .conflict,
                "Upload \(id) has \(status.offset) of \(status.upload.length) bytes. Send the rest first.")
        }
        let result = try await body(ReceivedZip(path: parts.path(of: id), size: status.offset))
        guard !isStillNeeded(result) else { return result }
        state.withLock { $0.remove(id) }
        // The version is published: a file that cannot be removed now expires after the next start.
        try? await removeFiles(of: id)
        return result
    }

    /// Removes the uploads of a revoked token or a deleted user, except one that a request holds, which expires.
    ///
    /// Throws `storageFailed`.
    package func deleteAll(of owner: Principal) async throws(PlatformError) {
        try await removeFiles(of: state.withLock { $0.removeAll(of: owner) })
    }

    /// Removes the files of every upload; throws the first failure.
    ///
    /// The next start removes the remaining files.
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
        return try state.withLock { (open) throws(PlatformError) in try open.hold(id, for: author.principal, at: now) }
    }

    func release(_ id: UploadID) { state.withLock { $0.release(id) } }
}
