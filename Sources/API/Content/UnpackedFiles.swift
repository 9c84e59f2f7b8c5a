package import Domain
package import HTTP

/// A responder that sends single files of versions, plain or in gzip, and full archives.
package struct UnpackedFiles: Sendable {
    private let blobs: any BlobStore
    private let fetcher: BlobFetcher
    private let log: any Log

    package init(_ services: Services) {
        blobs = services.blobs
        fetcher = services.fetcher
        log = services.log
    }

    /// The value of `Cache-Control`.
    package enum Caching: String, Sendable {
        /// The response never changes, because the version does not.
        case fixed = "public, max-age=31536000, immutable"
        /// The response depends on the current version.
        case current = "no-cache"
    }

    /// The content of a response.
    package enum Subject: Sendable {
        /// A file of a version, which only pages of its own origin can read.
        case file(TreeFile)
        /// A full archive at a URL that may lead to another archive later, or that is not the archive's own.
        ///
        /// The archive is never coded (clients.md G1), and browsers download it instead of opening it.
        case archive(SHA256Digest)
    }

    /// Decides a request: at once if the blob is on the local disk, otherwise in a task that fetches it.
    ///
    /// - Parameter isolation: The isolation of the response, if any.
    package func decide(
        _ head: RequestHead, _ subject: Subject, _ caching: Caching, isolation: Isolation? = nil
    ) throws(PlatformError) -> Disposition {
        let plan = Plan(head, subject, caching)
        switch try blobs.locate(plan.digest) {
        case .open(let blob):
            let response = plan.response(blob, for: head)
            return .respond(isolation?.applied(to: response) ?? response)
        case .missing: throw Self.removed
        case .remote:
            return .handle(bodyLimit: 0) { [self] request in
                let response = await respondingToErrors(log) { () throws(PlatformError) in
                    try await respond(request.head, subject, caching)
                }
                return isolation?.applied(to: response) ?? response.readableByPages
            }
        }
    }

    /// Responds in a task, which may fetch the blob.
    package func respond(
        _ head: RequestHead, _ subject: Subject, _ caching: Caching
    ) async throws(PlatformError) -> Response {
        let plan = Plan(head, subject, caching)
        guard let blob = try await fetcher.open(plan.digest, for: head) else { throw Self.removed }
        return plan.response(blob, for: head)
    }

    private static let removed = PlatformError(
        .notFound, "This file was removed. Request the current version instead.")

    /// The blob and the header fields of a response.
    private struct Plan {
        let digest: SHA256Digest
        /// The gzip file around the blob, if the blob is a deflated stream.
        private let gzip: GzipStream?
        private let etag: String
        private let fields: Fields
        private let isArchive: Bool

        init(_ head: RequestHead, _ subject: Subject, _ caching: Caching) {
            switch subject {
            case .archive(let blob):
                digest = blob
                gzip = nil
                etag = "\"\(blob.hex)\""
                isArchive = true
                fields = [
                    .contentType: "application/zip", .cacheControl: caching.rawValue, .contentTypeOptions: "nosniff",
                    .contentDisposition: "attachment",
                ]
            case .file(let file):
                isArchive = false
                var fields: Fields = [
                    .contentType: file.contentType, .cacheControl: caching.rawValue, .contentTypeOptions: "nosniff",
                ]
                let stream = GzipStream(file.content)
                // The request for a service worker's script is refused by its `Service-Worker` field; a cache must not
                // answer it.
                fields[.vary] =
                    (stream == nil ? [] : [FieldName.acceptEncoding.name + ", "]).joined() + "Service-Worker"
                let plain = file.content.digest
                if let stream, head.coding(ofTagNamed: plain.hex) == .gzip {
                    fields[.contentEncoding] = ContentCoding.gzip.token
                    gzip = stream
                    digest = stream.stream.digest
                    etag = ContentCoding.gzip.etag(plain.hex)
                } else {
                    gzip = nil
                    digest = plain
                    etag = ContentCoding.identity.etag(plain.hex)
                }
                self.fields = fields
            }
        }

        func response(_ blob: OpenBlob, for head: RequestHead) -> Response {
            let region = FileRegion(descriptor: blob.descriptor, owner: blob, offset: 0, count: blob.size)
            if let gzip { return .pieces(gzip.pieces(around: region), etag: etag, fields: fields, for: head) }
            let response = Response.file(region, etag: etag, fields: fields, for: head)
            return isArchive ? response.readableByPages : response
        }
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
