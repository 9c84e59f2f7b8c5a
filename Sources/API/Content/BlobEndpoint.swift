import Domain
import HTTP

/// `GET /blobs/{digest}/{name}`: bytes that never change, so that every cache may keep them (clients.md G1, G3, G7).
final class BlobEndpoint: Sendable {
    private let blobs: any BlobStore
    private let clock: any WallClock
    private let hot = HotBlobs()

    init(blobs: any BlobStore, clock: any WallClock) {
        self.blobs = blobs
        self.clock = clock
    }

    /// Opening a local file, or reading a small one, is all that happens on the event loop, as in any server of files.
    func answer(_ head: RequestHead, digest text: String, name: String) throws(PlatformError) -> Disposition {
        let key = HotBlobs.Key(digest: text, isArchive: name.hasSuffix(".zip"))
        let isPlain = head.isUnconditional
        if isPlain, let known = hot[key], known.date <= clock.now() { return .prepared(known.response) }
        guard let digest = SHA256Digest(hex: text), let blob = try blobs.open(digest) else {
            throw PlatformError(.notFound, "There is nothing under this digest.")
        }
        var fields: Fields = [
            .contentType: key.isArchive ? "application/zip" : "application/octet-stream",
            .cacheControl: "public, max-age=31536000, immutable",
            .contentTypeOptions: "nosniff",
            .contentDisposition: "attachment",
        ]
        CORS.add(to: &fields)
        let region = FileRegion(descriptor: blob.descriptor, owner: blob, offset: 0, count: blob.size)
        let date = date(of: blob)
        let response = Response.file(
            region, etag: "\"\(digest.hex)\"", lastModified: date, fields: fields, for: head)
        // Without a date the next answer may be another.
        guard isPlain, date != nil else { return .respond(response) }
        let prepared = Self.prepare(response, region, blob)
        hot.keep(HotBlobs.Answer(response: prepared, date: blob.storedAt), under: key)
        return .prepared(prepared)
    }

    private static func prepare(_ response: Response, _ region: FileRegion, _ blob: OpenBlob) -> PreparedResponse {
        let isSmall = region.count <= HotBlobs.inlineBytes
        let body: BodyPiece = isSmall ? blob.readAll().map { .bytes($0) } ?? .file(region) : .file(region)
        return PreparedResponse(response.status, fields: response.fields, body: body)
    }

    /// When the bytes came to this server: as good a mark as their digest, since nothing else was ever under it.
    ///
    /// A date in the future is none to HTTP (RFC 9110 §8.8.2.1); the clock may have been set back.
    private func date(of blob: OpenBlob) -> HTTPDate? {
        guard blob.storedAt <= clock.now() else { return nil }
        return HTTPDate(secondsSinceEpoch: Int(blob.storedAt.milliseconds / 1000))
    }
}
