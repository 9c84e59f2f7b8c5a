import Domain
import HTTP

/// `GET /blobs/{sha256}/{name}`: bytes that never change, so that every cache may keep them (clients.md G1, G3, G7).
final class BlobEndpoint: Sendable {
    private let blobs: any BlobStore

    init(blobs: any BlobStore) {
        self.blobs = blobs
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
        return .file(region, etag: "\"\(digest.hex)\"", lastModified: nil, fields: fields, for: head)
    }
}
