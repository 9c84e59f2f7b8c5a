extension Response {
    /// Returns the response for a file by the request's conditions and ranges: 200, 206, 304, 412 or 416.
    ///
    /// - Parameters:
    ///   - region: The whole representation.
    ///   - etag: Its entity tag, with quotes.
    ///   - lastModified: Its modification date, if the response has one.
    ///   - fields: Further fields, including `Content-Type` and `Cache-Control`.
    package static func file(
        _ region: FileRegion, etag: String, lastModified: HTTPDate? = nil, fields: Fields, for head: RequestHead
    ) -> Response {
        var fields = fields
        fields[.etag] = etag
        if let lastModified { fields[.lastModified] = lastModified.description }
        fields[.acceptRanges] = "bytes"
        switch Precondition(head, etag: etag, lastModified: lastModified, length: region.count) {
        case .proceed:
            return Response(.ok, fields: fields, body: .file(region))
        case .partial(let parts):
            return partial(parts, of: region, fields)
        case .notModified:
            return Response(.notModified, fields: fields.withoutBody)
        case .failed:
            return Response(.preconditionFailed, fields: fields.ofRefusal)
        case .unsatisfiable:
            var fields = fields.ofRefusal
            fields[.contentRange] = "bytes */\(region.count)"
            return Response(.rangeNotSatisfiable, fields: fields)
        }
    }

    /// Returns the response to a `HEAD` request for a file that is not local: 200, 304 or 412, like ``file``.
    ///
    /// - Parameter length: The length of the whole representation.
    package static func description(
        ofLength length: Int, etag: String, lastModified: HTTPDate? = nil, fields: Fields, for head: RequestHead
    ) -> Response {
        precondition(head.method == .head, "the response to any other method has the file")
        var fields = fields
        fields[.etag] = etag
        if let lastModified { fields[.lastModified] = lastModified.description }
        fields[.acceptRanges] = "bytes"
        switch Precondition(head, etag: etag, lastModified: lastModified, length: length) {
        case .proceed, .partial, .unsatisfiable:
            return Response(.ok, fields: fields, body: .stream(length: length) { _ in })
        case .notModified: return Response(.notModified, fields: fields.withoutBody)
        case .failed: return Response(.preconditionFailed, fields: fields.ofRefusal)
        }
    }

    /// Returns the response for a body of several pieces by the request's conditions: 200, 304 or 412.
    ///
    /// Such a body does not support ranges: the request must be without `Range`, which
    /// ``RequestHead/coding(ofTagNamed:)`` ensures.
    package static func pieces(_ pieces: [BodyPiece], etag: String, fields: Fields, for head: RequestHead) -> Response {
        var fields = fields
        fields[.etag] = etag
        switch Precondition(head, etag: etag, length: pieces.reduce(0) { $0 + $1.count }) {
        case .proceed, .partial, .unsatisfiable: return Response(.ok, fields: fields, body: .pieces(pieces))
        case .notModified: return Response(.notModified, fields: fields.withoutBody)
        case .failed: return Response(.preconditionFailed, fields: fields.ofRefusal)
        }
    }

    /// Returns a single part by itself and several as `multipart/byteranges`, or the whole if that is no longer.
    private static func partial(_ parts: [Range<Int>], of region: FileRegion, _ fields: Fields) -> Response {
        var fields = fields
        if parts.count == 1 {
            fields[.contentRange] = region.contentRange(parts[0])
            return Response(.partialContent, fields: fields, body: .file(region.part(parts[0])))
        }
        let body = MultipartRanges(parts, of: region, mediaType: fields[.contentType])
        guard body.count < region.count else { return Response(.ok, fields: fields, body: .file(region)) }
        fields[.contentType] = "multipart/byteranges; boundary=\(body.boundary)"
        return Response(.partialContent, fields: fields, body: .pieces(body.pieces))
    }
}

extension Fields {
    /// A copy without the fields that describe a body.
    var withoutBody: Fields {
        removing([
            .contentType, .contentDigest, .contentDisposition, .contentEncoding, .contentLanguage, .contentTypeOptions,
            .acceptRanges, .signature, .signatureInput,
        ])
    }

    /// A copy for 412 and 416, without any field that would let a cache store the response.
    var ofRefusal: Fields {
        var fields = withoutBody.removing([.etag, .lastModified, .expires, .vary])
        fields[.cacheControl] = "no-store"
        return fields
    }

    private func removing(_ names: [FieldName]) -> Fields {
        var rest = self
        for name in names { rest[name] = nil }
        return rest
    }
}
