import Domain
import HTTP

/// `GET /blobs/{sha256}/{name}`: bytes that never change, so that every cache may keep them (clients.md G1, G3, G7).
final class BlobEndpoint: Sendable {
    private let blobs: any BlobStore
    private let clock: any WallClock

    init(blobs: any BlobStore, clock: any WallClock) {
        self.blobs = blobs
        self.clock = clock
    }

    /// Opening a local file is all that happens on the event loop, as in any server of files.
    func answer(_ head: RequestHead, digest text: String, name: String) throws(PlatformError) -> Response {
        guard let digest = SHA256Digest(hex: text), let blob = try blobs.open(digest) else {
            throw PlatformError(.notFound, "There is nothing under this digest.")
        }
        var fields: Fields = [
            .contentType: name.hasSuffix(".zip") ? "application/zip" : "application/octet-stream",
            .cacheControl: "public, max-age=31536000, immutable",
            .contentTypeOptions: "nosniff",
            .contentDisposition: "attachment",
        ]
        CORS.add(to: &fields)
        let region = FileRegion(descriptor: blob.descriptor, owner: blob, offset: 0, count: blob.size)
        return .file(region, etag: "\"\(digest.hex)\"", lastModified: date(of: blob), fields: fields, for: head)
    }

    /// When the bytes came to this server: as good a mark as their digest, since nothing else was ever under it.
    ///
    /// A date in the future is none to HTTP (RFC 9110 §8.8.2.1); the clock may have been set back.
    private func date(of blob: OpenBlob) -> HTTPDate? {
        guard blob.storedAt <= clock.now() else { return nil }
        return HTTPDate(secondsSinceEpoch: Int(blob.storedAt.milliseconds / 1000))
    }
}
