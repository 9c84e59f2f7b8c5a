import Domain
import Ground
import HTTP

/// The endpoint `GET /blobs/{digest}/{name}`: immutable bytes that caches may store (clients.md G1, G3, G7).
final class BlobEndpoint: Sendable {
    private let blobs: any BlobStore
    private let fetcher: BlobFetcher
    private let clock: any WallClock
    private let log: any Log
    private let hot = HotBlobs()
    private let redirects = BlobRedirects()

    init(_ services: Services) {
        blobs = services.blobs
        fetcher = services.fetcher
        clock = services.clock
        log = services.log
    }

    /// Decides a request; on the event loop it only opens a local file or reads a small one.
    ///
    /// A blob that is not on the local disk is fetched by a task, or the device is redirected to it.
    func respond(_ head: RequestHead, _ parameters: PathParameters) throws(PlatformError) -> Disposition {
        let text = try parameters.read(.digestText)
        let key = HotBlobs.Key(digest: text, isArchive: try parameters.read(.fileName).hasSuffix(".zip"))
        let isPlain = head.isUnconditional
        if isPlain, let known = hot[key], known.date <= clock.now() { return .prepared(known.response) }
        guard let digest = SHA256Digest(hex: text) else { throw Self.missing }
        let location = try blobs.locate(digest)
        // The signature of a URL is for GET only.
        if head.method == .get, location.isWorthRedirect, let redirect = redirect(to: digest, key) {
            return .prepared(redirect)
        }
        switch location {
        case .missing: throw Self.missing
        case .remote:
            return .handle(bodyLimit: 0) { [self] request in
                await readable(log) { () throws(PlatformError) in
                    if request.head.method == .head { return try await describe(digest, key, for: request.head) }
                    guard let blob = try await fetcher.open(digest, for: request.head) else { throw Self.missing }
                    return response(blob, digest, key, for: request.head).response
                }
            }
        case .open(let blob):
            let (response, region, isDated) = response(blob, digest, key, for: head)
            // Without `Last-Modified`, which depends on the clock, the response is not cached.
            guard isPlain, isDated, blob.mayBeKept || blob.size <= HotBlobs.inlineBytes else {
                return .respond(response)
            }
            let prepared = Self.prepare(response, region, blob)
            hot.keep(HotBlobs.Entry(response: prepared, date: blob.storedAt), under: key)
            return .prepared(prepared)
        }
    }

    /// Returns the redirect to a blob on another machine; `nil` if only this server sends blobs.
    private func redirect(to digest: SHA256Digest, _ key: HotBlobs.Key) -> PreparedResponse? {
        guard blobs.hasLinks else { return nil }
        let now = clock.now()
        if let known = redirects.find(key, at: now) { return known }
        return blobs.link(to: digest, Self.heading(key)).map { redirects.make(key, to: $0, at: now) }
    }

    private static let missing = PlatformError(.notFound, "No file has this digest.")

    private func response(
        _ blob: OpenBlob, _ digest: SHA256Digest, _ key: HotBlobs.Key, for head: RequestHead
    ) -> (response: Response, region: FileRegion, isDated: Bool) {
        let region = FileRegion(descriptor: blob.descriptor, owner: blob, offset: 0, count: blob.size)
        let date = date(blob.storedAt)
        let response = Response.file(
            region, etag: "\"\(digest.hex)\"", lastModified: date, fields: Self.fields(key), for: head)
        return (response, region, date != nil)
    }

    /// Responds to `HEAD` for a blob that is not local, without fetching it.
    private func describe(
        _ digest: SHA256Digest, _ key: HotBlobs.Key, for head: RequestHead
    ) async throws(PlatformError) -> Response {
        guard let facts = try await fetcher.describe(digest, for: head) else { throw Self.missing }
        return Response.description(
            ofLength: facts.size, etag: "\"\(digest.hex)\"", lastModified: facts.storedAt.flatMap(date),
            fields: Self.fields(key), for: head)
    }

    private static func fields(_ key: HotBlobs.Key) -> Fields {
        let heading = heading(key)
        var fields: Fields = [
            .contentType: heading.contentType,
            .cacheControl: heading.cacheControl,
            .contentTypeOptions: "nosniff",
            .contentDisposition: heading.contentDisposition,
        ]
        CORS.add(to: &fields)
        return fields
    }

    private static func heading(_ key: HotBlobs.Key) -> BlobLink.Heading {
        BlobLink.Heading(
            contentType: key.isArchive ? "application/zip" : "application/octet-stream",
            contentDisposition: "attachment", cacheControl: "public, max-age=31536000, immutable")
    }

    private static func prepare(_ response: Response, _ region: FileRegion, _ blob: OpenBlob) -> PreparedResponse {
        let isSmall = region.count <= HotBlobs.inlineBytes
        let body: BodyPiece = isSmall ? blob.readAll().map { .bytes($0) } ?? .file(region) : .file(region)
        return PreparedResponse(response.status, fields: response.fields, body: body)
    }

    /// Returns the `Last-Modified` date: the time when the bytes arrived, a strong validator because they never change.
    ///
    /// Returns `nil` for a future date, which HTTP forbids (RFC 9110 §8.8.2.1); the clock may have been set back.
    private func date(_ storedAt: Timestamp) -> HTTPDate? {
        guard storedAt <= clock.now() else { return nil }
        return HTTPDate(secondsSinceEpoch: Int(storedAt.milliseconds / 1000))
    }
}

extension BlobLocation {
    /// Whether a redirect costs less than the blob: a local one of a few kilobytes fits in a response of its own.
    fileprivate var isWorthRedirect: Bool {
        switch self {
        case .open(let blob): blob.size > HotBlobs.inlineBytes
        case .missing: false
        case .remote: true
        }
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
