import Domain
import Ground
import HTTP
import Platform
import Synchronization

/// The way in which a route treats `Idempotency-Key` (decision 0078).
enum IdempotencySupport {
    /// A retry gets the kept response.
    case keepsResponse
    /// The response shows a secret, such as the URL of a robot, so it is not kept: a retry changes nothing and is refused.
    case keepsOutcome
    /// The route needs no key and refuses it, for a reason; a DELETE ignores it.
    case unneeded(String)

    static let byOffset = unneeded(
        "An upload in parts needs no 'Idempotency-Key': its offset shows which bytes have arrived, and an upload that nobody "
            + "continues expires.")

    /// The methods with which a retry would not get the response of the first request.
    static let methods: Set<Method> = [.post, .patch, .delete]

    /// Returns the key of a request; `nil` without one, and for methods whose requests may be repeated anyway.
    func key(of head: RequestHead) throws(PlatformError) -> IdempotencyKey? {
        guard Self.methods.contains(head.method), let text = head[.idempotencyKey] else { return nil }
        if case .unneeded(let reason) = self {
            guard head.method != .delete else { return nil }
            throw PlatformError(.invalidRequest, "\(reason) Send the request without it.")
        }
        guard let key = IdempotencyKey(text) else {
            throw PlatformError(.invalidRequest, "'Idempotency-Key' must be \(IdempotencyKey.shape).")
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
        // No part of a request line has a space, and no field a line feed.
        let target = head.bytes[head.pathRange] + [ASCII.question] + head.bytes[head.queryRange] + [ASCII.space]
        let precondition = Array((head[.ifMatch] ?? "").utf8) + [ASCII.lineFeed]
        digest.update(Array(head.method.token.utf8) + [ASCII.space] + target + precondition)
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
    /// Makes a request's change once for each key: a retry gets the kept response.
    ///
    /// A request that has made no change, as after an error or in a dry run, may be repeated under its key.
    static func respondOnce(
        to call: Call, under key: IdempotencyKey, _ support: IdempotencySupport, _ services: Services,
        _ handler: Handler
    ) async throws(PlatformError) -> Response {
        guard let holder = call.author.principal else { return try await handler(call) }
        let digested = DigestedBody(call.request, try services.cryptography.digest(.sha256))
        switch try await services.idempotencyKeys.begin(key, by: holder) {
        case .retry(let record):
            return try replay(record, try await fingerprint(of: digested), at: services.clock.now())
        case .first(let claim):
            defer { services.idempotencyKeys.end(claim) }
            let request = Request(
                head: call.request.head, body: RequestBody(length: call.request.body.length, source: digested))
            let response = try await handler(call.claiming(claim, request))
            guard response.status.code < 300 else { return response }
            do throws(PlatformError) {
                try await services.idempotencyKeys.finish(
                    claim, fingerprint: try await fingerprint(of: digested),
                    response: kept(response, support))
            } catch {
                services.log.write("idempotency.failed", ["cause": error.cause ?? error.message])
            }
            return response
        }
    }

    private static func fingerprint(of body: DigestedBody) async throws(PlatformError) -> SHA256Digest {
        let bytes: [UInt8]
        do throws(BodyError) { bytes = try await body.finish() } catch { throw error.platformError }
        guard let digest = SHA256Digest(bytes: bytes) else {
            throw PlatformError(.internalError, "The digest has \(bytes.count) bytes instead of 32.")
        }
        return digest
    }

    private static func kept(_ response: Response, _ support: IdempotencySupport) -> KeptResponse? {
        guard case .keepsResponse = support, case .bytes(let body) = response.body,
            body.count <= KeptResponse.bodyLimit
        else { return nil }
        return KeptResponse(
            status: response.status.code, contentType: response.fields[.contentType],
            location: response.fields[.location], tag: response.fields[.etag], body: body)
    }

    private static func replay(
        _ record: RequestRecord, _ fingerprint: SHA256Digest, at now: Timestamp
    ) throws(PlatformError) -> Response {
        switch record {
        case .unfinished(let claimedAt):
            // Another node may be about to record the response.
            guard now.milliseconds - claimedAt.milliseconds > IdempotencyKey.finishingMilliseconds else {
                throw .idempotencyKeyInUse
            }
            throw PlatformError(
                .responseNotKept,
                "A request with this 'Idempotency-Key' made its change at \(claimedAt.rfc3339), and its response is lost. "
                    + "Read the object or the audit log; use a new key only for another change.")
        case .finished(let known, let response):
            guard known == fingerprint else {
                throw PlatformError(
                    .idempotencyKeyReused,
                    "This 'Idempotency-Key' belongs to a request with another target or body. Use a key for one "
                        + "request only.")
            }
            guard let response else {
                throw PlatformError(
                    .responseNotKept,
                    "The request with this 'Idempotency-Key' made its change, and its response is not stored. If it made "
                        + "a token or a webhook whose secret you did not get, revoke the token or rotate the secret of the "
                        + "webhook. Use a new key only for another change.")
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
