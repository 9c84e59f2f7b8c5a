import HTTP

/// What pages with a foreign, null or custom origin may read of the clients' routes (clients.md G11).
enum CORS {
    static let exposed = exposedNames.map(\.name).joined(separator: ", ")

    private static let exposedNames: [FieldName] = [
        .date, .age, .etag, .contentLength, .contentRange, .acceptRanges, .larderConfigVersion, .larderCursor,
        .larderPollAfter,
    ]

    static func add(to fields: inout Fields) {
        fields[.accessControlAllowOrigin] = "*"
        fields[.accessControlExposeHeaders] = exposed
    }

    /// The answer to a preflight request on a clients' route.
    static let preflight = PreparedResponse(
        .noContent,
        fields: [
            .accessControlAllowOrigin: "*",
            "Access-Control-Allow-Methods": "GET, HEAD, POST",
            "Access-Control-Allow-Headers": "Content-Type, If-None-Match, If-Range, Range",
            "Access-Control-Max-Age": "86400",
        ])
}

extension Response {
    /// The same answer for pages of any origin.
    var readableByPages: Response {
        var response = self
        CORS.add(to: &response.fields)
        return response
    }
}
