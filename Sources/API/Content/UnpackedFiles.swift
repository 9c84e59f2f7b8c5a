package import Domain
package import HTTP

/// A responder that sends single files of versions, plain or in gzip.
package struct UnpackedFiles: Sendable {
    let blobs: any BlobStore

    package init(blobs: any BlobStore) {
        self.blobs = blobs
    }

    /// The value of `Cache-Control`.
    package enum Caching: String {
        /// The response never changes, because the version does not.
        case fixed = "public, max-age=31536000, immutable"
        /// The response depends on the current version.
        case current = "no-cache"
    }

    package func respond(
        _ head: RequestHead, _ file: TreeFile, _ caching: Caching
    ) throws(PlatformError) -> Response {
        let digest = file.content.digest
        var fields: Fields = [
            .contentType: file.contentType, .cacheControl: caching.rawValue, .contentTypeOptions: "nosniff",
        ]
        let gzip = GzipStream(file.content)
        // The request for a service worker's script is refused by its `Service-Worker` field; a cache must not answer
        // it.
        fields[.vary] = (gzip == nil ? [] : [FieldName.acceptEncoding.name + ", "]).joined() + "Service-Worker"
        if let gzip, head.coding(ofTagNamed: digest.hex) == .gzip {
            fields[.contentEncoding] = ContentCoding.gzip.token
            let pieces = gzip.pieces(around: try open(gzip.stream.digest))
            return .pieces(pieces, etag: ContentCoding.gzip.etag(digest.hex), fields: fields, for: head)
        }
        let etag = ContentCoding.identity.etag(digest.hex)
        return .file(try open(digest), etag: etag, fields: fields, for: head)
    }

    /// Returns a full archive at a URL that may lead to another archive later, or that is not the archive's own.
    ///
    /// The archive is never coded (clients.md G1), and browsers download it instead of opening it.
    package func archive(
        _ head: RequestHead, _ blob: SHA256Digest, _ caching: Caching
    ) throws(PlatformError) -> Response {
        let fields: Fields = [
            .contentType: "application/zip", .cacheControl: caching.rawValue, .contentTypeOptions: "nosniff",
            .contentDisposition: "attachment",
        ]
        return .file(try open(blob), etag: "\"\(blob.hex)\"", fields: fields, for: head).readableByPages
    }

    /// Opens a local file; this is the only I/O on the event loop (decision 0006).
    private func open(_ digest: SHA256Digest) throws(PlatformError) -> FileRegion {
        guard let blob = try blobs.open(digest) else {
            throw PlatformError(.notFound, "This file was removed. Request the current version instead.")
        }
        return FileRegion(descriptor: blob.descriptor, owner: blob, offset: 0, count: blob.size)
    }
}

extension UnpackedFiles {
    /// The header fields that isolate uploaded pages from everything else (semantics.md §9).
    package struct Isolation: Sendable {
        /// Whether the pages share the host with the console and therefore need an opaque origin.
        let isHostShared: Bool

        /// Returns the response with the isolating fields.
        ///
        /// In an opaque origin, even a page's own modules, fonts and data are cross-origin: they are open to all.
        package func applied(to response: Response) -> Response {
            var response = response.readableByPages
            response.fields[.crossOriginResourcePolicy] = "cross-origin"
            if isHostShared { response.fields[.contentSecurityPolicy] = "sandbox allow-scripts allow-forms" }
            return response
        }
    }
}

extension TreeFile {
    /// The `Content-Type`; text has the encoding that packages are written in.
    fileprivate var contentType: String {
        guard let essence = MediaType(of: path)?.essence else { return "application/octet-stream" }
        return essence.utf8.starts(with: "text/".utf8) ? essence + "; charset=utf-8" : essence
    }
}
