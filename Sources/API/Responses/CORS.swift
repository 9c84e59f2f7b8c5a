package import HTTP

/// The header fields that let pages of a foreign, null or custom origin use the clients' routes (clients.md G11).
package enum CORS {
    static let exposed = exposedNames.map(\.name).joined(separator: ", ")

    private static let exposedNames: [FieldName] = [
        .date, .age, .etag, .contentLength, .contentRange, .acceptRanges, .retryAfter, .larderConfigVersion,
        .larderCursor, .larderPollAfter, .larderSnapshotAge, .larderBase, .contentDigest, .signature, .signatureInput,
    ]

    package static func add(to fields: inout Fields) {
        fields[.accessControlAllowOrigin] = "*"
        fields[.accessControlExposeHeaders] = exposed
    }

    /// The request header fields of the clients' routes, except those that a page may send without a preflight request.
    private static let allowed: [FieldName] = [
        .acceptSignature, .contentEncoding, .contentType, .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange,
        .ifUnmodifiedSince, .lastEventID, .range,
    ]

    /// The seconds for which a browser may cache a preflight response; browsers cap it at a day.
    private static let maxAge = 86_400

    /// Returns the response to `OPTIONS` on a clients' route, including preflight requests.
    ///
    /// `*` allows every origin, including `null` and custom schemes; the response echoes no part of the request.
    package static func preflight(_ methods: [Method]) -> PreparedResponse {
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
    /// A copy of the response that pages of any origin can read.
    package var readableByPages: Response {
        var response = self
        CORS.add(to: &response.fields)
        return response
    }
}
