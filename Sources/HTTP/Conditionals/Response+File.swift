extension Response {
    /// Fields that describe a body, and have no place in an answer without one.
    private static let bodyFields: [FieldName] = [
        .contentType, .contentDisposition, "Content-Encoding", "Content-Language", .acceptRanges,
    ]

    /// Fields that an error must not carry, lest a cache keep it.
    private static let cacheFields: [FieldName] = [.cacheControl, .etag, .lastModified, "Expires"]

    /// Answers a request for a file as its conditions and its range say: 200, 206, 304, 412 or 416.
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
        case .partial(let range):
            fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(region.count)"
            var part = region
            part.offset += range.lowerBound
            part.count = range.count
            return Response(.partialContent, fields: fields, body: .file(part))
        case .notModified:
            return Response(.notModified, fields: fields.removing(bodyFields))
        case .failed:
            return Response(.preconditionFailed, fields: fields.removing(bodyFields + cacheFields))
        case .unsatisfiable:
            var fields = fields.removing(bodyFields + cacheFields)
            fields[.contentRange] = "bytes */\(region.count)"
            return Response(.rangeNotSatisfiable, fields: fields)
        }
    }
}

extension Fields {
    fileprivate func removing(_ names: [FieldName]) -> Fields {
        var rest = self
        for name in names { rest[name] = nil }
        return rest
    }
}
