import Domain
import Ground
import HTTP
import Platform

/// The routes of resumable uploads, by tus 1.0.0 (decision 0018).
struct UploadRoutes {
    let routes: OperatorRoutes

    static let pattern = "/uploads"
    private static let one = pattern + "/{upload}"

    /// The header fields of every response of these routes.
    private static let fields: Fields = [
        .tusResumable: Tus.version, .tusVersion: Tus.version, .cacheControl: "no-store",
    ]

    private typealias UploadHandler =
        @Sendable (OperatorRoutes.Call, UploadID) async throws(PlatformError) -> Response

    func add(to router: inout OperatorRouter) {
        addMaking(to: &router)
        let (status, append, delete) = (status, append, delete)
        let partLimit = routes.services.uploads.limits.uploadBytes
        add(.head, bodyLimit: 0, to: &router, status)
        add(.patch, bodyLimit: partLimit, to: &router, append)
        add(.delete, bodyLimit: 0, to: &router, delete)
        add(.post, bodyLimit: partLimit, to: &router) { call, id throws(PlatformError) in
            switch call.request.head[.xHTTPMethodOverride] {
            case Method.patch.token: return try await append(call, id)
            case Method.delete.token: return try await delete(call, id)
            default:
                throw PlatformError(
                    .invalidRequest,
                    "Send the bytes with PATCH, or with POST and X-HTTP-Method-Override: PATCH or DELETE.")
            }
        }
        addDescription(to: &router)
    }

    /// Adds a route that acts on one upload.
    private func add(
        _ method: Method, bodyLimit: Int, to router: inout OperatorRouter, _ handler: @escaping UploadHandler
    ) {
        routes.add(
            method, Self.one, .publisher, to: &router, scope: .any, bodyLimit: bodyLimit, dryRun: .refused,
            idempotency: .byOffset, fields: Self.fields
        ) { call throws(PlatformError) in
            try Self.checkVersion(of: call.request.head)
            return try await handler(call, try call.parameters.read(.upload))
        }
    }

    /// Adds the responses to `OPTIONS`, which need no token.
    private func addDescription(to router: inout OperatorRouter) {
        var fields = Self.fields
        fields[.tusMaxSize] = String(routes.services.uploads.limits.uploadBytes)
        fields[.tusExtension] = "creation,checksum,expiration,termination"
        fields[.tusChecksumAlgorithm] = Checksum.Algorithm.allCases.map(\.rawValue).joined(separator: ",")
        for (path, methods) in [
            (Self.pattern, [Method.post, .options]), (Self.one, [.head, .patch, .delete, .post, .options]),
        ] {
            fields[.allow] = methods.map(\.token).joined(separator: ", ")
            let response = PreparedResponse(.noContent, fields: fields)
            router.router.add(.options, "/api/v1" + path) { _, _ throws(PlatformError) in .prepared(response) }
        }
    }

    private func addMaking(to router: inout OperatorRouter) {
        let (uploads, publicURL) = (routes.services.uploads, routes.publicURL)
        routes.add(
            .post, Self.pattern, .publisher, to: &router, scope: .any, bodyLimit: 0, dryRun: .refused,
            idempotency: .byOffset,
            fields: Self.fields
        ) { call throws(PlatformError) in
            let head = call.request.head
            try Self.checkVersion(of: head)
            guard let length = head[.uploadLength] else {
                throw PlatformError(
                    .invalidRequest, "'Upload-Length' is missing. Send the number of bytes of the zip.")
            }
            guard let length = Self.number(length) else {
                throw PlatformError(.invalidRequest, "'Upload-Length' must be a number of bytes.")
            }
            let metadata = head[.uploadMetadata]
            guard UploadMetadata.isValid(metadata ?? "") else {
                throw PlatformError(.invalidRequest, "'Upload-Metadata' must be \(UploadMetadata.shape).")
            }
            let status = try await uploads.create(length: length, metadata: metadata, by: call.author)
            var fields = Self.progress(status)
            fields[.location] = "\(publicURL)/api/v1\(Self.pattern)/\(status.upload.id)"
            return Response(.created, fields: fields)
        }
    }

    // MARK: One upload

    private var status: UploadHandler {
        let uploads = routes.services.uploads
        return { call, id throws(PlatformError) in
            let status = try uploads.status(of: id, for: call.author)
            var fields = Self.progress(status)
            fields[.uploadLength] = String(status.upload.length)
            fields[.uploadMetadata] = status.upload.metadata
            return Response(.ok, fields: fields)
        }
    }

    private var append: UploadHandler {
        let uploads = routes.services.uploads
        return { call, id throws(PlatformError) in
            let part = try ResumableUploads.Part(call.request)
            let status = try await uploads.append(part, to: id, by: call.author) { () throws(PlatformError) in
                do throws(BodyError) { return try await call.request.body.next() } catch { throw error.platformError }
            }
            return Response(.noContent, fields: Self.progress(status))
        }
    }

    private var delete: UploadHandler {
        let uploads = routes.services.uploads
        return { call, id throws(PlatformError) in
            try await uploads.delete(id, by: call.author)
            return Response(.noContent)
        }
    }

    private static func progress(_ status: UploadStatus) -> Fields {
        let expiry = HTTPDate(secondsSinceEpoch: Int(status.expiresAt.milliseconds / 1000))
        return [.uploadOffset: String(status.offset), .uploadExpires: expiry.description]
    }

    // MARK: Parsing requests

    private static func checkVersion(of head: RequestHead) throws(PlatformError) {
        guard head[.tusResumable] == Tus.version else {
            throw PlatformError(
                .unsupportedProtocol,
                "The protocol version is missing or not supported. Send 'Tus-Resumable: \(Tus.version)'.")
        }
    }

    /// Parses a number of bytes that consists of digits alone.
    static func number(_ text: String) -> Int? {
        text.utf8.allSatisfy(ASCII.isDigit) ? Int(text) : nil
    }
}

extension ResumableUploads.Part {
    /// Reads the offset and the checksum of the bytes that follow from the header fields.
    fileprivate init(_ request: Request) throws(PlatformError) {
        guard request.head[.contentType]?.lowercased() == Tus.mediaType else {
            throw PlatformError(.unsupportedMediaType, "Send the bytes as \(Tus.mediaType).")
        }
        guard let offset = request.head[.uploadOffset].flatMap(UploadRoutes.number) else {
            throw PlatformError(
                .invalidRequest, "'Upload-Offset' is missing or not a number. Send the offset of the first byte.")
        }
        var checksum: Checksum?
        if let text = request.head[.uploadChecksum] {
            checksum = Checksum(field: text)
            guard checksum != nil else {
                let known = Checksum.Algorithm.allCases.map(\.rawValue).joined(separator: " or ")
                throw PlatformError(
                    .invalidRequest,
                    "'Upload-Checksum' must be \(known), a space, and the digest of the bytes in Base64.")
            }
        }
        self.init(offset: offset, length: request.body.length, checksum: checksum)
    }
}

extension Checksum {
    /// Parses `sha256 <base64>`.
    fileprivate init?(field: String) {
        let parts = field.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let algorithm = Algorithm(rawValue: String(parts[0])),
            let value = Base64.decode(String(parts[1]))
        else { return nil }
        self.init(algorithm, value)
    }
}
