import Ground

/// A field name (RFC 9110 §5.1), compared case-insensitively and sent as written here.
package struct FieldName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as it is sent.
    package let name: String
    /// The name's bytes in lower case, for comparison.
    package let lowercased: [UInt8]

    package init(_ name: String) {
        self.name = name
        lowercased = name.utf8.map(ASCII.lowercased)
    }

    package init(stringLiteral value: StaticString) {
        self.init(value.description)
    }

    package static func == (left: FieldName, right: FieldName) -> Bool { left.lowercased == right.lowercased }

    package func hash(into hasher: inout Hasher) { hasher.combine(lowercased) }

    package var description: String { name }

    package static let accept: FieldName = "Accept"
    package static let acceptEncoding: FieldName = "Accept-Encoding"
    package static let acceptRanges: FieldName = "Accept-Ranges"
    package static let acceptSignature: FieldName = "Accept-Signature"
    package static let accessControlAllowOrigin: FieldName = "Access-Control-Allow-Origin"
    package static let accessControlExposeHeaders: FieldName = "Access-Control-Expose-Headers"
    package static let age: FieldName = "Age"
    package static let allow: FieldName = "Allow"
    package static let authorization: FieldName = "Authorization"
    package static let cacheControl: FieldName = "Cache-Control"
    package static let connection: FieldName = "Connection"
    package static let contentDigest: FieldName = "Content-Digest"
    package static let contentDisposition: FieldName = "Content-Disposition"
    package static let contentEncoding: FieldName = "Content-Encoding"
    package static let contentLanguage: FieldName = "Content-Language"
    package static let contentLength: FieldName = "Content-Length"
    package static let contentRange: FieldName = "Content-Range"
    package static let contentSecurityPolicy: FieldName = "Content-Security-Policy"
    package static let contentType: FieldName = "Content-Type"
    package static let contentTypeOptions: FieldName = "X-Content-Type-Options"
    package static let cookie: FieldName = "Cookie"
    package static let crossOriginResourcePolicy: FieldName = "Cross-Origin-Resource-Policy"
    package static let date: FieldName = "Date"
    package static let etag: FieldName = "ETag"
    package static let expect: FieldName = "Expect"
    package static let expires: FieldName = "Expires"
    package static let forwarded: FieldName = "Forwarded"
    package static let host: FieldName = "Host"
    package static let idempotencyKey: FieldName = "Idempotency-Key"
    package static let idempotencyReplayed: FieldName = "Idempotency-Replayed"
    package static let ifMatch: FieldName = "If-Match"
    package static let ifModifiedSince: FieldName = "If-Modified-Since"
    package static let ifNoneMatch: FieldName = "If-None-Match"
    package static let ifRange: FieldName = "If-Range"
    package static let ifUnmodifiedSince: FieldName = "If-Unmodified-Since"
    package static let lastModified: FieldName = "Last-Modified"
    package static let link: FieldName = "Link"
    package static let location: FieldName = "Location"
    package static let origin: FieldName = "Origin"
    package static let range: FieldName = "Range"
    package static let lastEventID: FieldName = "Last-Event-ID"
    package static let retryAfter: FieldName = "Retry-After"
    package static let secFetchSite: FieldName = "Sec-Fetch-Site"
    package static let setCookie: FieldName = "Set-Cookie"
    package static let signature: FieldName = "Signature"
    package static let signatureInput: FieldName = "Signature-Input"
    package static let transferEncoding: FieldName = "Transfer-Encoding"
    package static let vary: FieldName = "Vary"
    package static let xForwardedFor: FieldName = "X-Forwarded-For"
    package static let xRequestID: FieldName = "X-Request-Id"
    package static let wwwAuthenticate: FieldName = "WWW-Authenticate"
}
