import Domain
import Ground

/// The uploads that are not published yet, with their owners, offsets and locks.
struct OpenUploads {
    private struct Entry {
        let upload: PartialUpload
        var offset: Int
        var savedAt: Timestamp
        /// Whether a request is writing, publishing or removing the upload.
        var isHeld: Bool
    }

    let limits: UploadLimits
    private var entries: [UploadID: Entry] = [:]
    private var gone = GoneUploads()
    /// Whether other nodes may have uploads that this one lacks.
    private let isShared: Bool

    init(limits: UploadLimits, isShared: Bool) {
        self.limits = limits
        self.isShared = isShared
    }

    /// Adds an upload in the held state; returns the uploads that were removed to make room for it, oldest first.
    ///
    /// Throws `tooManyUploads`.
    mutating func add(_ upload: PartialUpload, at now: Timestamp) throws(PlatformError) -> [UploadID] {
        let removed = try makeRoom(for: upload.length, of: upload.owner, isNew: true, at: now)
        entries[upload.id] = Entry(upload: upload, offset: 0, savedAt: now, isHeld: true)
        return removed
    }

    /// Counts further bytes of an upload of unknown length; returns the uploads that were removed to make room.
    ///
    /// Throws `tooManyUploads`.
    mutating func grow(_ id: UploadID, by count: Int, at now: Timestamp) throws(PlatformError) -> [UploadID] {
        guard let entry = entries[id] else { return [] }
        let upload = entry.upload
        let removed = try makeRoom(for: count, of: upload.owner, isNew: false, at: now)
        entries[id] = Entry(
            upload: PartialUpload(
                id: id, owner: upload.owner, length: upload.length + count, metadata: upload.metadata),
            offset: entry.offset, savedAt: now, isHeld: entry.isHeld)
        return removed
    }

    /// Removes an upload that was the body of a request.
    mutating func end(_ id: UploadID) { entries.removeValue(forKey: id) }

    /// Removes the uploads that got no byte for ``UploadLimits/untouched``, oldest first, until there is room.
    ///
    /// Removes none if all of them are not enough.
    private mutating func makeRoom(
        for bytes: Int, of owner: Principal?, isNew: Bool, at now: Timestamp
    ) throws(PlatformError) -> [UploadID] {
        var after = self
        var removed: [UploadID] = []
        while let excess = after.excess(with: bytes, of: owner, isNew: isNew) {
            let idle = after.entries.values.filter { entry in
                !entry.isHeld && now.milliseconds - entry.savedAt.milliseconds >= limits.untouched
                    && (!excess.isOfToken || entry.upload.owner == owner)
            }
            guard let oldest = idle.min(by: { ($0.savedAt, $0.upload.id.text) < ($1.savedAt, $1.upload.id.text) })
            else { throw PlatformError(.tooManyUploads, "\(excess.what) \(advice)") }
            after.remove(oldest.upload.id)
            removed.append(oldest.upload.id)
        }
        self = after
        return removed
    }

    private var advice: String {
        "Publish or delete one, or try again later: an upload that has received no byte for "
            + "\(limits.untouched / 60_000) minutes may be removed in favour of another."
    }

    /// Returns the limit that further bytes would exceed; `nil` if there is room.
    private func excess(with bytes: Int, of owner: Principal?, isNew: Bool) -> (what: String, isOfToken: Bool)? {
        let all = entries.values.map(\.upload)
        let own = all.filter { $0.owner == owner }
        func total(_ uploads: [PartialUpload]) -> Int { uploads.reduce(bytes) { $0 + $1.length } }
        if isNew, own.count >= limits.openOfToken {
            return ("This token or user has \(limits.openOfToken) unfinished uploads, which is the limit.", true)
        }
        if isNew, all.count >= limits.openUploads {
            return ("The server has \(limits.openUploads) unfinished uploads, which is the limit.", false)
        }
        if total(own) > limits.bytesOfToken {
            let most = ByteCount.text(limits.bytesOfToken)
            return ("The unfinished uploads of this token or user would exceed \(most).", true)
        }
        guard total(all) > limits.totalBytes else { return nil }
        return ("All unfinished uploads together would exceed \(ByteCount.text(limits.totalBytes)).", false)
    }

    /// Adds an upload of an earlier process, regardless of the limits.
    ///
    /// An upload with a future time, saved by a wrong clock, counts as saved now.
    mutating func restore(_ part: StoredPart, at now: Timestamp) {
        entries[part.upload.id] = Entry(
            upload: part.upload, offset: part.size, savedAt: min(part.savedAt, now), isHeld: false)
    }

    /// Returns the status of an upload; throws `uploadNotFound`, also for uploads of other owners, and `uploadGone`.
    func status(of id: UploadID, for owner: Principal?, at now: Timestamp) throws(PlatformError) -> UploadStatus {
        guard let entry = entries[id], entry.upload.owner == owner else {
            throw gone.has(id, of: owner) ? Self.goneError(id) : notFound(id)
        }
        guard entry.isHeld || !isOver(entry, at: now) else { throw Self.goneError(id) }
        return status(entry)
    }

    /// Locks an upload for the caller.
    ///
    /// Throws the errors of ``status(of:for:at:)``, and `uploadLocked` if it is held.
    mutating func hold(_ id: UploadID, for owner: Principal?, at now: Timestamp) throws(PlatformError) -> UploadStatus {
        let status = try status(of: id, for: owner, at: now)
        guard entries[id]?.isHeld == false else {
            throw PlatformError(
                .uploadLocked,
                "Another request is writing to upload \(id). Read its offset and try again in a moment.")
        }
        entries[id]?.isHeld = true
        return status
    }

    mutating func release(_ id: UploadID) { entries[id]?.isHeld = false }

    /// Records the number of bytes on disk; an increase restarts the upload's lifetime.
    mutating func advance(_ id: UploadID, to offset: Int, at now: Timestamp) -> UploadStatus? {
        if let before = entries[id]?.offset, offset > before { entries[id]?.savedAt = now }
        entries[id]?.offset = offset
        return entries[id].map(status)
    }

    mutating func remove(_ id: UploadID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        gone.add(id, of: entry.upload.owner)
    }

    /// The ids of the tokens that have uploads.
    var tokens: Set<Int64> {
        Set(
            entries.values.compactMap { entry in
                guard case .token(let id) = entry.upload.owner else { return nil }
                return id
            })
    }

    /// Removes the uploads of a token or user that no request holds, and returns their ids.
    mutating func removeAll(of owner: Principal) -> [UploadID] {
        let ids = entries.values.filter { $0.upload.owner == owner && !$0.isHeld }.map(\.upload.id)
        for id in ids { remove(id) }
        return ids
    }

    /// Removes the expired uploads that no request holds, and returns their ids.
    mutating func removeExpired(at now: Timestamp) -> [UploadID] {
        let expired = entries.values.filter { !$0.isHeld && isOver($0, at: now) }.map(\.upload.id)
        for id in expired { remove(id) }
        return expired
    }

    private func isOver(_ entry: Entry, at now: Timestamp) -> Bool { now >= status(entry).expiresAt }

    private func status(_ entry: Entry) -> UploadStatus {
        UploadStatus(
            upload: entry.upload, offset: entry.offset,
            expiresAt: entry.savedAt.adding(milliseconds: limits.lifetime))
    }

    private static func goneError(_ id: UploadID) -> PlatformError {
        PlatformError(
            .uploadGone,
            "Upload \(id) no longer exists: it was published or deleted, or has expired. Create a new one.")
    }

    private func notFound(_ id: UploadID) -> PlatformError {
        guard isShared else {
            return PlatformError(
                .uploadNotFound, "This token or user has no upload \(id). Create one:", remedy: .createUpload)
        }
        return PlatformError(
            .uploadNotFound,
            "This token or user has no upload \(id) on this server. If the upload began on another server of this installation, "
                + "it continues only there. Send its requests to that server, or create one:", remedy: .createUpload)
    }
}

/// The most recently removed uploads of this process, whose requests get `uploadGone`.
private struct GoneUploads {
    /// The maximum number of remembered uploads.
    private static let limit = 1024

    private var owners: [UploadID: Principal?] = [:]
    /// The ids, oldest first.
    private var order: [UploadID] = []

    mutating func add(_ id: UploadID, of owner: Principal?) {
        if order.count == Self.limit { owners.removeValue(forKey: order.removeFirst()) }
        order.append(id)
        owners.updateValue(owner, forKey: id)
    }

    func has(_ id: UploadID, of owner: Principal?) -> Bool {
        guard let known = owners[id] else { return false }
        return known == owner
    }
}
