extension Response {
    /// Answers a request for a file as its conditions and its ranges say: 200, 206, 304, 412 or 416.
    ///
    /// - Parameters:
    ///   - region: the whole representation.
    ///   - etag: its entity tag, with quotes.
    ///   - lastModified: its modification date, if that is told.
    ///   - fields: further fields, `Content-Type` and `Cache-Control` among them.
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

    /// Answers a request for what is put together from pieces as its conditions say: 200, 304 or 412.
    ///
    /// It has no parts of its own: the request must be without `Range`, as
    /// ``RequestHead/coding(ofTagNamed:)`` sees to.
    package static func pieces(_ pieces: [BodyPiece], etag: String, fields: Fields, for head: RequestHead) -> Response {
        var fields = fields
        fields[.etag] = etag
        switch Precondition(head, etag: etag, length: pieces.reduce(0) { $0 + $1.count }) {
        case .proceed, .partial, .unsatisfiable: return Response(.ok, fields: fields, body: .pieces(pieces))
        case .notModified: return Response(.notModified, fields: fields.withoutBody)
        case .failed: return Response(.preconditionFailed, fields: fields.ofRefusal)
        }
    }

    /// One part by itself, several as a body of parts; the whole where that is no longer than they would be.
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
    /// Those that are left where there is no body.
    var withoutBody: Fields {
        removing([
            .contentType, .contentDigest, .contentDisposition, .contentEncoding, .contentLanguage, .contentTypeOptions,
            .acceptRanges, .signature, .signatureInput,
        ])
    }

    /// Those that are left where a condition or a range is refused: nothing that a cache could keep.
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
