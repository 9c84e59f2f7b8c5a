import Domain
import Ground
import HTTP

/// The endpoint `GET /blobs/{digest}/{name}`: immutable bytes that caches may store (clients.md G1, G3, G7).
final class BlobEndpoint: Sendable {
    private let blobs: any BlobStore
    private let clock: any WallClock
    private let hot = HotBlobs()

    init(blobs: any BlobStore, clock: any WallClock) {
        self.blobs = blobs
        self.clock = clock
    }

    /// Decides a request; on the event loop it only opens a local file or reads a small one.
    func respond(_ head: RequestHead, _ parameters: PathParameters) throws(PlatformError) -> Disposition {
        let text = try parameters.read(.digestText)
        let key = HotBlobs.Key(digest: text, isArchive: try parameters.read(.fileName).hasSuffix(".zip"))
        let isPlain = head.isUnconditional
        if isPlain, let known = hot[key], known.date <= clock.now() { return .prepared(known.response) }
        guard let digest = SHA256Digest(hex: text), let blob = try blobs.open(digest) else {
            throw PlatformError(.notFound, "No file has this digest.")
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
        // Without `Last-Modified`, which depends on the clock, the response is not cached.
        guard isPlain, date != nil else { return .respond(response) }
        let prepared = Self.prepare(response, region, blob)
        hot.keep(HotBlobs.Entry(response: prepared, date: blob.storedAt), under: key)
        return .prepared(prepared)
    }

    private static func prepare(_ response: Response, _ region: FileRegion, _ blob: OpenBlob) -> PreparedResponse {
        let isSmall = region.count <= HotBlobs.inlineBytes
        let body: BodyPiece = isSmall ? blob.readAll().map { .bytes($0) } ?? .file(region) : .file(region)
        return PreparedResponse(response.status, fields: response.fields, body: body)
    }

    /// Returns the `Last-Modified` date: the time when the bytes arrived, a strong validator because they never change.
    ///
    /// Returns `nil` for a future date, which HTTP forbids (RFC 9110 §8.8.2.1); the clock may have been set back.
    private func date(of blob: OpenBlob) -> HTTPDate? {
        guard blob.storedAt <= clock.now() else { return nil }
        return HTTPDate(secondsSinceEpoch: Int(blob.storedAt.milliseconds / 1000))
    }
}

extension NameKind where Value == String {
    /// The text of a digest, which is parsed only if no response for it is cached.
    fileprivate static var digestText: Self {
        Self(placeholder: "digest", notFound: .notFound) {
            $0
        } fault: {
            $0
        }
    }

    /// The name under which a client stores a blob.
    fileprivate static var fileName: Self {
        Self(placeholder: "name", notFound: .notFound) {
            $0
        } fault: {
            $0
        }
    }
}
