/// A status code (RFC 9110 §15) with its reason phrase.
package struct Status: Hashable, Sendable {
    package let code: Int
    package let reason: String

    package init(_ code: Int, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package static func == (left: Status, right: Status) -> Bool { left.code == right.code }

    package func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// Whether a response with this status never has a body (RFC 9110 §6.4.1).
    package var isBodiless: Bool { code < 200 || code == 204 || code == 304 }

    package static let `continue` = Status(100, "Continue")
    package static let ok = Status(200, "OK")
    package static let created = Status(201, "Created")
    package static let accepted = Status(202, "Accepted")
    package static let noContent = Status(204, "No Content")
    package static let partialContent = Status(206, "Partial Content")
    package static let found = Status(302, "Found")
    package static let seeOther = Status(303, "See Other")
    package static let notModified = Status(304, "Not Modified")
    package static let permanentRedirect = Status(308, "Permanent Redirect")
    package static let badRequest = Status(400, "Bad Request")
    package static let unauthorized = Status(401, "Unauthorized")
    package static let forbidden = Status(403, "Forbidden")
    package static let notFound = Status(404, "Not Found")
    package static let methodNotAllowed = Status(405, "Method Not Allowed")
    package static let requestTimeout = Status(408, "Request Timeout")
    package static let conflict = Status(409, "Conflict")
    package static let gone = Status(410, "Gone")
    package static let lengthRequired = Status(411, "Length Required")
    package static let preconditionFailed = Status(412, "Precondition Failed")
    package static let contentTooLarge = Status(413, "Content Too Large")
    package static let uriTooLong = Status(414, "URI Too Long")
    package static let unsupportedMediaType = Status(415, "Unsupported Media Type")
    package static let rangeNotSatisfiable = Status(416, "Range Not Satisfiable")
    package static let expectationFailed = Status(417, "Expectation Failed")
    package static let unprocessableContent = Status(422, "Unprocessable Content")
    package static let locked = Status(423, "Locked")
    package static let tooManyRequests = Status(429, "Too Many Requests")
    package static let requestHeaderFieldsTooLarge = Status(431, "Request Header Fields Too Large")
    /// A status of tus 1.0.0: the checksum does not match the bytes.
    package static let checksumMismatch = Status(460, "Checksum Mismatch")
    package static let internalServerError = Status(500, "Internal Server Error")
    package static let notImplemented = Status(501, "Not Implemented")
    package static let serviceUnavailable = Status(503, "Service Unavailable")
    package static let httpVersionNotSupported = Status(505, "HTTP Version Not Supported")
    package static let insufficientStorage = Status(507, "Insufficient Storage")
}
