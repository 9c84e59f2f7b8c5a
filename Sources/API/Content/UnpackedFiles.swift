import Domain
import HTTP

/// Single files of versions as answers, plain or in gzip.
struct UnpackedFiles: Sendable {
    let blobs: any BlobStore

    /// How long a cache may go by an answer.
    enum Caching: String {
        /// A version never changes.
        case fixed = "public, max-age=31536000, immutable"
        /// Which version is current does.
        case current = "no-cache"
    }

    func answer(
        _ head: RequestHead, _ file: TreeFile, _ caching: Caching
    ) throws(PlatformError) -> Response {
        let digest = file.content.digest
        var fields: Fields = [
            .contentType: file.contentType, .cacheControl: caching.rawValue, .contentTypeOptions: "nosniff",
        ]
        let gzip = GzipStream(file.content)
        // A cached script must not become that of a service worker, which is refused by this field of its request.
        fields[.vary] = (gzip == nil ? [] : [FieldName.acceptEncoding.name + ", "]).joined() + "Service-Worker"
        if let gzip, head.coding(ofTagNamed: digest.hex) == .gzip {
            fields[.contentEncoding] = ContentCoding.gzip.token
            let pieces = gzip.pieces(around: try open(gzip.stream.digest))
            return .pieces(pieces, etag: ContentCoding.gzip.etag(digest.hex), fields: fields, for: head)
        }
        let etag = ContentCoding.identity.etag(digest.hex)
        return .file(try open(digest), etag: etag, fields: fields, for: head)
    }

    /// A full archive at a URL that leads to it for a while, or that is not its own.
    ///
    /// Never coded (clients.md G1), and nothing that a browser opens.
    func archive(_ head: RequestHead, _ blob: SHA256Digest, _ caching: Caching) throws(PlatformError) -> Response {
        let fields: Fields = [
            .contentType: "application/zip", .cacheControl: caching.rawValue, .contentTypeOptions: "nosniff",
            .contentDisposition: "attachment",
        ]
        return .file(try open(blob), etag: "\"\(blob.hex)\"", fields: fields, for: head).readableByPages
    }

    /// Opening a local file is all that happens on the event loop (decision 0006).
    private func open(_ digest: SHA256Digest) throws(PlatformError) -> FileRegion {
        guard let blob = try blobs.open(digest) else {
            throw PlatformError(.notFound, "This file is no longer kept: ask for the version that is current.")
        }
        return FileRegion(descriptor: blob.descriptor, owner: blob, offset: 0, count: blob.size)
    }
}

extension UnpackedFiles {
    /// What keeps uploaded pages away from everything else (semantics.md §9).
    struct Isolation: Sendable {
        /// Whether the pages share the host with the console, and so need an origin of their own.
        let isHostShared: Bool

        /// The same answer, isolated.
        ///
        /// In an opaque origin a page's own modules, fonts and data come from another origin than its own: they are
        /// open to all.
        func applied(to response: Response) -> Response {
            var response = response.readableByPages
            response.fields[.crossOriginResourcePolicy] = "cross-origin"
            if isHostShared { response.fields[.contentSecurityPolicy] = "sandbox allow-scripts allow-forms" }
            return response
        }
    }
}

extension TreeFile {
    /// Of text with the encoding that packages are written in.
    fileprivate var contentType: String {
        guard let essence = MediaType(of: path)?.essence else { return "application/octet-stream" }
        return essence.utf8.starts(with: "text/".utf8) ? essence + "; charset=utf-8" : essence
    }
}
