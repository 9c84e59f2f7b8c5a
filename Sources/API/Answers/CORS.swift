import HTTP

/// What pages with a foreign, null or custom origin may read of the clients' routes (clients.md G11).
enum CORS {
    static let exposed = exposedNames.map(\.name).joined(separator: ", ")

    private static let exposedNames: [FieldName] = [
        .date, .age, .etag, .contentLength, .contentRange, .acceptRanges, .retryAfter, .larderConfigVersion,
        .larderCursor, .larderPollAfter, .larderBase, .contentDigest, .signature, .signatureInput,
    ]

    static func add(to fields: inout Fields) {
        fields[.accessControlAllowOrigin] = "*"
        fields[.accessControlExposeHeaders] = exposed
    }

    /// What the clients' routes read of a request, but for what a page may send without asking.
    private static let allowed: [FieldName] = [
        .acceptSignature, .contentType, .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange, .ifUnmodifiedSince, .range,
    ]

    /// Seconds for which a browser need not ask again; none remembers longer than a day.
    private static let maxAge = 86_400

    /// The answer to `OPTIONS` on a clients' route, preflight requests among them.
    ///
    /// `*` is for every origin, `null` and those of custom schemes too; nothing of the request is echoed.
    static func preflight(_ methods: [Method]) -> PreparedResponse {
        let methods = (methods + [.options]).map(\.token).joined(separator: ", ")
        return PreparedResponse(
            .noContent,
            fields: [
                .allow: methods,
                .accessControlAllowOrigin: "*",
                "Access-Control-Allow-Methods": methods,
                "Access-Control-Allow-Headers": allowed.map(\.name).joined(separator: ", "),
                "Access-Control-Max-Age": "\(maxAge)",
            ])
    }
}

extension Response {
    /// The same answer for pages of any origin.
    var readableByPages: Response {
        var response = self
        CORS.add(to: &response.fields)
        return response
    }
}
