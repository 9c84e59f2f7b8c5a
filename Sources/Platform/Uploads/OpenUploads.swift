import Domain

/// The uploads that are not published yet: who has which, how far each is, and who is at work on it.
struct OpenUploads {
    private struct Entry {
        let upload: PartialUpload
        var offset: Int
        var savedAt: Timestamp
        /// Whether somebody writes it, publishes it or removes it.
        var isHeld: Bool
    }

    let limits: UploadLimits
    private var entries: [UploadID: Entry] = [:]
    private var gone = GoneUploads()

    init(limits: UploadLimits) { self.limits = limits }

    /// Adds one that is held.
    ///
    /// Throws `tooManyUploads`.
    mutating func add(_ upload: PartialUpload, at now: Timestamp) throws(PlatformError) {
        let open = entries.values.map(\.upload)
        let advice = "Publish or delete one, or send the zip as the body of the publishing."
        guard open.count(where: { $0.owner == upload.owner }) < limits.openOfToken else {
            throw PlatformError(
                .tooManyUploads, "This token has \(limits.openOfToken) uploads that are not published. \(advice)")
        }
        guard open.count < limits.openUploads else {
            throw PlatformError(
                .tooManyUploads, "There are \(limits.openUploads) uploads that are not published. \(advice)")
        }
        let own = open.reduce(upload.length) { $1.owner == upload.owner ? $0 + $1.length : $0 }
        guard own <= limits.bytesOfToken else {
            throw PlatformError(
                .tooManyUploads,
                "This token's uploads that are not published would have more than "
                    + "\(ByteCount.text(limits.bytesOfToken)). \(advice)")
        }
        let total = open.reduce(upload.length) { $0 + $1.length }
        guard total <= limits.totalBytes else {
            throw PlatformError(
                .tooManyUploads,
                "All uploads that are not published would have more than \(ByteCount.text(limits.totalBytes)). "
                    + advice)
        }
        entries[upload.id] = Entry(upload: upload, offset: 0, savedAt: now, isHeld: true)
    }

    /// Takes over what an earlier process left, whatever the limits are.
    ///
    /// One that was saved in what is now the future, by a clock that was wrong, counts as saved now.
    mutating func restore(_ part: StoredPart, at now: Timestamp) {
        entries[part.upload.id] = Entry(
            upload: part.upload, offset: part.size, savedAt: min(part.savedAt, now), isHeld: false)
    }

    /// Throws `uploadNotFound` also for those of others, and `uploadGone`.
    func status(of id: UploadID, for owner: Int64?, at now: Timestamp) throws(PlatformError) -> UploadStatus {
        guard let entry = entries[id], entry.upload.owner == owner else {
            throw gone.has(id, of: owner) ? Self.goneError(id) : Self.notFound(id)
        }
        guard entry.isHeld || !isOver(entry, at: now) else { throw Self.goneError(id) }
        return status(entry)
    }

    /// Takes an upload for oneself alone.
    ///
    /// Throws what ``status(of:for:at:)`` throws, and `uploadLocked` while it is held.
    mutating func hold(_ id: UploadID, for owner: Int64?, at now: Timestamp) throws(PlatformError) -> UploadStatus {
        let status = try status(of: id, for: owner, at: now)
        guard entries[id]?.isHeld == false else {
            throw PlatformError(
                .uploadLocked,
                "Another request is at work on upload \(id): ask for its offset and try again in a moment.")
        }
        entries[id]?.isHeld = true
        return status
    }

    mutating func release(_ id: UploadID) { entries[id]?.isHeld = false }

    /// Notes how many bytes are on the disk; its time begins anew where there are more than before.
    mutating func advance(_ id: UploadID, to offset: Int, at now: Timestamp) -> UploadStatus? {
        if let before = entries[id]?.offset, offset > before { entries[id]?.savedAt = now }
        entries[id]?.offset = offset
        return entries[id].map(status)
    }

    mutating func remove(_ id: UploadID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        gone.add(id, of: entry.upload.owner)
    }

    /// Those of a token that nobody is at work on, which are removed here.
    mutating func removeAll(of token: Int64) -> [UploadID] {
        let ids = entries.values.filter { $0.upload.owner == token && !$0.isHeld }.map(\.upload.id)
        for id in ids { remove(id) }
        return ids
    }

    /// Those whose time is over, which are removed here.
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
            "Upload \(id) is not there any more: it was published, deleted, or is too old. Make a new one.")
    }

    private static func notFound(_ id: UploadID) -> PlatformError {
        PlatformError(.uploadNotFound, "This token has no upload \(id): make one with POST /api/v1/uploads.")
    }
}

/// Uploads that are there no more, the last ones of this process: who asks is told so.
private struct GoneUploads {
    /// How many are remembered.
    private static let limit = 1024

    private var owners: [UploadID: Int64?] = [:]
    /// Oldest first.
    private var order: [UploadID] = []

    mutating func add(_ id: UploadID, of owner: Int64?) {
        if order.count == Self.limit { owners.removeValue(forKey: order.removeFirst()) }
        order.append(id)
        owners.updateValue(owner, forKey: id)
    }

    func has(_ id: UploadID, of owner: Int64?) -> Bool {
        guard let known = owners[id] else { return false }
        return known == owner
    }
}
