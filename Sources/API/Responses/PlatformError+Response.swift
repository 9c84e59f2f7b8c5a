package import Domain
import Ground
package import HTTP

extension PlatformError.Code {
    /// The HTTP status of each error code; the only such table.
    package var status: Status {
        switch self {
        case .invalidRequest, .malformedPrecondition, .signInExpired: .badRequest
        case .unauthorized, .codeRequired: .unauthorized
        case .forbidden, .crossSiteRequest, .pageNotGranted, .signInRefused, .noMatchingGroup, .userDisabled:
            .forbidden
        case .appNotFound, .channelNotFound, .packageNotFound, .versionNotFound, .releaseNotFound, .listNotFound,
            .buildNotFound, .presetNotFound, .keyNotFound, .tokenNotFound, .ciTrustNotFound, .userNotFound,
            .sessionNotFound, .signInProviderNotFound,
            .waiverNotFound, .grantNotFound,
            .webhookNotFound, .uploadNotFound, .approvalNotFound, .notFound:
            .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .versionExists, .versionRetired, .versionOffered, .nameTaken, .userExists, .releaseExists, .dependentsLost,
            .approvalOutdated, .conflict, .publicURLRequired,
            .wrongOffset, .idempotencyKeyInUse, .responseNotKept:
            .conflict
        case .uploadGone: .gone
        case .unsupportedProtocol, .preconditionFailed: .preconditionFailed
        case .unsupportedMediaType: .unsupportedMediaType
        case .bodyTooLarge: .contentTooLarge
        case .bodyIncomplete: .badRequest
        case .badPackage, .idempotencyKeyReused: .unprocessableContent
        case .uploadLocked: .locked
        case .checksumMismatch: .checksumMismatch
        case .rateLimited, .tooManyUploads: .tooManyRequests
        case .busy, .signingFailed, .storageUnavailable, .providerUnavailable: .serviceUnavailable
        case .storageFull: .insufficientStorage
        case .storageFailed, .internalError: .internalServerError
        }
    }

    /// A short title that is equal for all problems of this code (RFC 9457 §3.1.3).
    fileprivate var title: String {
        let words = rawValue.split(separator: "-").joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}

extension PlatformError {
    /// Returns the error as `application/problem+json` (RFC 9457).
    ///
    /// An internal error shows only its number; the log has the cause under the same number.
    package func response(log: any Log) -> Response {
        let status = code.status
        var members: [JSON.Member] = [
            .init("type", "about:blank"), .init("title", .string(code.title)),
            .init("status", .integer(Int64(status.code))), .init("code", .string(code.rawValue)),
        ]
        if status == .internalServerError {
            let number = String(UInt64.random(in: 0...UInt64.max), radix: 16)
            log.write("request.failed", ["id": number, "code": code.rawValue, "cause": cause ?? message])
            let detail = "The server failed. Its log contains the cause under the id \(number)."
            members += [.init("detail", .string(detail)), .init("id", .string(number))]
        } else {
            members.append(.init("detail", .string(message(naming: \.route))))
            // The operator has to see server-side failures such as a full disk or a database that is down.
            if status.code > 500, code != .busy {
                log.write("request.failed", ["code": code.rawValue, "cause": cause ?? message])
            }
        }
        if let entry { members.append(.init("entry", .string(entry))) }
        if let reason { members.append(.init("reason", .string(reason))) }
        members += facts
        var fields: Fields = [.contentType: "application/problem+json", .cacheControl: "no-store"]
        if status == .unauthorized { fields[.wwwAuthenticate] = "Bearer realm=\"larder\"" }
        if code == .busy || code == .storageUnavailable { fields[.retryAfter] = "5" }
        if let retryAfter { fields[.retryAfter] = String(retryAfter) }
        return Response(status, fields: fields, body: .bytes(JSON.object(members).bytes()))
    }
}

extension BodyError {
    /// The fault of a request's body as a platform error.
    package var platformError: PlatformError {
        switch self {
        case .tooLarge(let limit):
            PlatformError(.bodyTooLarge, "The body is larger than \(ByteCount.text(limit)), the limit of this route.")
        case .timedOut: PlatformError(.bodyIncomplete, "The body did not arrive completely in time. Send it again.")
        case .disconnected:
            PlatformError(.bodyIncomplete, "The connection ended before the end of the body. Send it again.")
        case .malformed: PlatformError(.invalidRequest, "The chunked encoding of the body is malformed.")
        }
    }
}
