import Domain
import Ground
import HTTP
import Platform
import Synchronization

/// The way in which a route treats `Idempotency-Key` (decision 0078).
enum RequestKeySupport {
    /// A repetition gets the kept response.
    case keepsResponse
    /// The response shows a secret, so it is not kept: a repetition changes nothing and is refused.
    case keepsOutcome
    /// The route needs no key, since it is about an upload in parts, and refuses it.
    case unneeded

    /// Returns the key of a request; `nil` without one, and for methods whose requests may be repeated anyway.
    func key(of head: RequestHead) throws(PlatformError) -> RequestKey? {
        guard head.method == .post || head.method == .patch, let text = head[.idempotencyKey] else { return nil }
        if case .unneeded = self {
            throw PlatformError(
                .invalidRequest,
                "An upload in parts needs no 'Idempotency-Key': its offset shows which bytes have arrived, and an upload "
                    + "that nobody continues expires. Send the request without it.")
        }
        guard let key = RequestKey(text) else {
            throw PlatformError(.invalidRequest, "'Idempotency-Key' must be \(RequestKey.shape).")
        }
        return key
    }
}

/// A body that is digested as it is read.
private final class DigestedBody: BodySource {
    private let body: RequestBody
    private let digest: any RunningDigest
    private let hasEnded = Atomic(false)

    init(_ request: Request, _ digest: any RunningDigest) {
        body = request.body
        self.digest = digest
        let head = request.head
        // No part of a request line has a space.
        let target = head.bytes[head.pathRange] + [ASCII.question] + head.bytes[head.queryRange] + [ASCII.space]
        digest.update(Array(head.method.token.utf8) + [ASCII.space] + target)
    }

    func next() async throws(BodyError) -> [UInt8]? {
        guard !hasEnded.load(ordering: .acquiring) else { return nil }
        guard let piece = try await body.next() else {
            hasEnded.store(true, ordering: .releasing)
            return nil
        }
        digest.update(piece)
        return piece
    }

    /// Reads the rest of the body, and returns the digest of method, target and body; call it once.
    func finish() async throws(BodyError) -> [UInt8] {
        while try await next() != nil {}
        return digest.finish()
    }
}

extension OperatorRoutes {
    /// Makes a request's change once for each key: a repetition gets the kept response.
    ///
    /// A request that has made no change, as after an error or in a dry run, may be repeated under its key.
    static func respondOnce(
        to call: Call, under key: RequestKey, _ support: RequestKeySupport, _ services: Services,
        _ handler: Handler
    ) async throws(PlatformError) -> Response {
        guard let token = call.author.token else { return try await handler(call) }
        let digested = DigestedBody(call.request, try services.cryptography.digest(.sha256))
        switch try await services.requestKeys.begin(key, by: token) {
        case .repeated(let record):
            return try replay(record, try await fingerprint(of: digested))
        case .first(let claim):
            defer { services.requestKeys.end(claim) }
            let request = Request(
                head: call.request.head, body: RequestBody(length: call.request.body.length, source: digested))
            let response = try await handler(call.claiming(claim, request))
            guard response.status.code < 300 else { return response }
            do throws(PlatformError) {
                try await services.requestKeys.finish(
                    claim, fingerprint: try await fingerprint(of: digested),
                    response: kept(response, support))
            } catch {
                // The change is made, so the response must tell it.
                services.log.write("request-key.failed", ["cause": error.cause ?? error.message])
            }
            return response
        }
    }

    private static func fingerprint(of body: DigestedBody) async throws(PlatformError) -> SHA256Digest {
        let bytes: [UInt8]
        do throws(BodyError) { bytes = try await body.finish() } catch { throw error.platformError }
        guard let digest = SHA256Digest(bytes: bytes) else {
            throw PlatformError(.internalError, "A SHA-256 has another length.")
        }
        return digest
    }

    private static func kept(_ response: Response, _ support: RequestKeySupport) -> KeptResponse? {
        guard case .keepsResponse = support, case .bytes(let body) = response.body,
            body.count <= KeptResponse.bodyLimit
        else { return nil }
        return KeptResponse(
            status: response.status.code, contentType: response.fields[.contentType],
            location: response.fields[.location], tag: response.fields[.etag], body: body)
    }

    private static func replay(
        _ record: RequestRecord, _ fingerprint: SHA256Digest
    ) throws(PlatformError) -> Response {
        switch record {
        case .unfinished(let claimedAt):
            throw PlatformError(
                .conflict,
                "A request with this 'Idempotency-Key' made its change at \(claimedAt.rfc3339), and its response is "
                    + "lost. Read the object or the audit log; send another request with another key.")
        case .finished(let known, let response):
            guard known == fingerprint else {
                throw PlatformError(
                    .keyReused,
                    "This 'Idempotency-Key' belongs to a request with another target or body. Use a key for one "
                        + "request only.")
            }
            guard let response else {
                throw PlatformError(
                    .conflict,
                    "The request with this 'Idempotency-Key' was carried out, and its response is not kept. To make "
                        + "another change, use another key.")
            }
            var fields: Fields = [.cacheControl: "no-store", .idempotencyReplayed: "true"]
            fields[.contentType] = response.contentType
            fields[.location] = response.location
            fields[.etag] = response.tag
            return Response(Status(kept: response.status), fields: fields, body: .bytes(response.body))
        }
    }
}

extension OperatorRoutes.Call {
    /// A copy whose changes claim a key, with another body.
    fileprivate func claiming(_ claim: RequestClaim, _ request: Request) -> OperatorRoutes.Call {
        OperatorRoutes.Call(
            request: request, parameters: parameters, author: author.claiming(claim), precondition: precondition)
    }
}

extension Status {
    /// Returns the status of a kept response.
    fileprivate init(kept code: Int) {
        self =
            switch code {
            case Status.created.code: .created
            case Status.accepted.code: .accepted
            case Status.noContent.code: .noContent
            default: .ok
            }
    }
}
