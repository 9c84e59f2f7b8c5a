package import Domain
import Ground
import HTTP
import Synchronization
package import Transport

/// A client of one bucket: signed requests with deadlines, retries and a circuit breaker.
///
/// Every call blocks.
package final class S3Client: Sendable {
    /// The number of requests at a time that a store sends at most: fetches, and the uploads of a commit.
    package static let concurrency = 2 * parallelRequests
    /// The timeouts of the transport.
    ///
    /// Short enough for a repetition on another connection within ``S3Retries/totalTime``.
    package static let timeouts = TransportTimeouts(connect: .seconds(5), response: .seconds(8), idle: .seconds(8))
    /// The timeout of the response to an upload, which a server has to store first.
    static let uploadTimeout = Duration.seconds(20)
    /// The difference of the clocks from which a refusal without a code counts as one for it.
    static let suspiciousSkew: Int64 = 300_000
    /// The time limit of a request without a body of its own.
    static let smallTimeLimit = Duration.seconds(30)
    /// The transfer rate that the time limit of a large body assumes, in bytes per second.
    static let slowestRate = 256 << 10

    package let address: S3Address
    let cryptography: any Cryptography
    private let signer: SigV4
    private let http: HTTPClient
    private let timing: S3Timing
    private let retries: S3Retries
    private let log: any Log
    private let state = Mutex(State())

    private struct State {
        var breaker = CircuitBreaker()
        /// Whether the bucket has refused a request, and fulfilled none since.
        var isRefused = false
        /// The milliseconds by which the server's clock is ahead.
        var skew: Int64 = 0
        var requests = 0
        var failures = 0
        /// The time until which failures are not logged one by one: any client can cause a request.
        var silentUntil = Duration.zero
    }

    package init(
        _ address: S3Address, credentials: S3Credentials, http: HTTPClient, cryptography: any Cryptography,
        timing: S3Timing, retries: S3Retries = S3Retries(), log: any Log
    ) {
        self.address = address
        self.http = http
        self.cryptography = cryptography
        self.timing = timing
        self.retries = retries
        self.log = log
        signer = SigV4(credentials: credentials, region: address.region, cryptography: cryptography)
    }

    /// The number of requests sent, and of those without the expected response.
    var counts: (requests: Int, failures: Int) { state.withLock { ($0.requests, $0.failures) } }

    /// Whether requests are fulfilled now: the server has neither failed repeatedly nor refused the last request.
    var isAvailable: Bool { state.withLock { $0.breaker.isClosed && !$0.isRefused } }

    // MARK: Requests

    /// Sends a request and returns the response; retries it, corrects the clock once, and throws for failures.
    ///
    /// Returns responses with status 2xx only.
    ///
    /// - Parameters:
    ///   - deadline: The time after which no attempt is signed, by the clock of ``now``; `nil` for no limit.
    ///   - onLost: Called for each attempt that the server may carry out later, because its outcome is unknown.
    ///   - verify: Throws if a response with status 2xx is a failure all the same, which is then retried like others.
    func send(
        _ request: S3Request, until deadline: Timestamp? = nil, onLost: () -> Void = {},
        verifying verify: (ClientResponse) throws(S3Error) -> Void = { (_) throws(S3Error) in }
    ) throws(S3Error) -> ClientResponse {
        try retrying { () throws(S3Error) in
            let skew = state.withLock { $0.skew }
            let signed = try sign(request, skew: skew, until: deadline)
            let response: ClientResponse
            do throws(TransportError) {
                response = try http.send(signed, bodyLimit: S3Document.limit)
            } catch {
                if error.mayBeCarriedOut { onLost() }
                throw S3Error(error)
            }
            guard !response.head.isSuccess else {
                try verify(response)
                return response
            }
            if response.head.status >= 500 { onLost() }
            throw failure(request.method, response.head, response.body, skew: skew)
        }
    }

    /// Gets an object; returns `nil` if it does not exist.
    ///
    /// - Parameters:
    ///   - onHead: Called with the object before its bytes; called again for each repetition.
    ///   - onBytes: Called with the bytes as they arrive.
    func get(
        _ key: String, onHead: (S3Object) throws(S3Error) -> Void,
        onBytes: (UnsafeRawBufferPointer) throws(S3Error) -> Void
    ) throws(S3Error) -> S3Object? {
        try ifExists { () throws(S3Error) in
            try retrying { () throws(S3Error) in try getOnce(key, onHead: onHead, onBytes: onBytes) }
        }
    }

    private func getOnce(
        _ key: String, onHead: (S3Object) throws(S3Error) -> Void,
        onBytes: (UnsafeRawBufferPointer) throws(S3Error) -> Void
    ) throws(S3Error) -> S3Object {
        let skew = state.withLock { $0.skew }
        var signed = try sign(S3Request(.get, key), skew: skew)
        // The time limit follows from the size, which the head states.
        signed.timeLimit = nil
        let start = timing.elapsed()
        var limit = Self.smallTimeLimit
        var (object, failure, document): (S3Object?, S3Error?, [UInt8]) = (nil, nil, [])
        let head: ResponseHead
        do throws(TransportError) {
            head = try http.exchange(
                signed,
                onHead: { (head) throws(TransportError) in
                    guard head.status == 200 else { return }
                    do throws(S3Error) {
                        let found = try Self.object(head)
                        object = found
                        limit = Self.timeLimit(forBytes: found.size)
                        try onHead(found)
                    } catch {
                        failure = error
                        throw .responseTooLarge(limit: 0)
                    }
                },
                onBody: { (head, bytes) throws(TransportError) in
                    do throws(S3Error) {
                        guard timing.elapsed() - start < limit else {
                            throw .unreachable(reason: "an object arrived too slowly.")
                        }
                        guard head.status == 200 else {
                            document += bytes.prefix(S3Document.limit - document.count)
                            guard document.count < S3Document.limit else {
                                throw self.failure(.get, head, document, skew: skew)
                            }
                            return
                        }
                        try onBytes(bytes)
                    } catch {
                        failure = error
                        throw .responseTooLarge(limit: 0)
                    }
                })
        } catch {
            throw failure ?? S3Error(error)
        }
        if let object { return object }
        throw self.failure(.get, head, document, skew: skew)
    }

    static func object(_ head: ResponseHead) throws(S3Error) -> S3Object {
        guard let size = head.fields[.contentLength].flatMap({ Int($0) }), size >= 0 else {
            throw .malformed("the response about an object has no length")
        }
        let date = head.fields[.lastModified].flatMap { HTTPDate($0.utf8) }
        return S3Object(
            size: size, modified: date.map { Timestamp(milliseconds: Int64($0.secondsSinceEpoch) * 1000) })
    }

    private static func timeLimit(forBytes count: Int) -> Duration {
        smallTimeLimit + .seconds(count / slowestRate)
    }

    // MARK: Retries

    private func retrying<Result>(
        _ attempt: () throws(S3Error) -> Result
    ) throws(S3Error) -> Result {
        let start = timing.elapsed()
        var (failures, corrected) = (0, false)
        while true {
            guard state.withLock({ $0.breaker.admits(at: timing.elapsed()) }) else { throw .suspended }
            do throws(S3Error) {
                let result = try attempt()
                noteSuccess(isFailure: false)
                state.withLock { $0.isRefused = false }
                return result
            } catch {
                switch error {
                // The failure of a file says nothing about the server.
                case .localFile, .tooLate: throw error
                case .unreachable, .unavailable: noteFailure(error)
                default: noteSuccess(isFailure: error.isFault)
                }
                if error.isRefusal { state.withLock { $0.isRefused = true } }
                if case .clockSkewed(let seconds) = error, !corrected {
                    corrected = true
                    correctClock(to: seconds)
                    continue
                }
                failures += 1
                guard error.isPassing else {
                    if error.isFault { logFailure(error, attempts: failures) }
                    throw error
                }
                let pause = retries.pause(after: failures, random: timing.random)
                guard failures < retries.attempts, timing.elapsed() - start + pause < retries.totalTime else {
                    logFailure(error, attempts: failures)
                    throw error
                }
                timing.sleep(pause)
            }
        }
    }

    private func noteSuccess(isFailure: Bool) {
        let wasOpen = state.withLock { state in
            state.requests += 1
            if isFailure { state.failures += 1 }
            return state.breaker.succeed()
        }
        if wasOpen { log.write("bucket.available", ["bucket": address.description]) }
    }

    private func noteFailure(_ error: S3Error) {
        let opens = state.withLock { state in
            state.requests += 1
            state.failures += 1
            return state.breaker.fail(at: timing.elapsed())
        }
        if opens { log.write("bucket.unavailable", ["bucket": address.description, "cause": error.description]) }
    }

    /// Logs the failure of a call, at most one a second.
    private func logFailure(_ error: S3Error, attempts: Int) {
        let now = timing.elapsed()
        let isSilent = state.withLock { state in
            guard now >= state.silentUntil else { return true }
            state.silentUntil = now + .seconds(1)
            return false
        }
        guard !isSilent else { return }
        log.write("bucket.failed", ["cause": error.description, "attempts": String(attempts)])
    }

    /// Sets the difference to the clock of the server.
    private func correctClock(to seconds: Int64) {
        let isKnown = state.withLock { state in
            defer { state.skew = seconds * 1000 }
            return state.skew == seconds * 1000
        }
        guard !isKnown else { return }
        let isSkewed = abs(seconds * 1000) >= Self.suspiciousSkew
        log.write(
            "bucket.clock",
            [
                "what": isSkewed
                    ? S3Error.clockSkewed(seconds: seconds).description + " Until then, its clock is used."
                    : "The clocks of this machine and of the bucket's server agree again."
            ])
    }

    // MARK: Signing

    /// The time by which requests are dated: that of this machine, corrected by the server's.
    var now: Timestamp { timing.now().adding(milliseconds: state.withLock { $0.skew }) }

    /// - Parameter deadline: The latest date of the signature. The same reading of the clock is checked and signed, so
    ///   that a process that is stopped in between sends no request that the server accepts.
    private func sign(
        _ request: S3Request, skew: Int64, until deadline: Timestamp? = nil
    ) throws(S3Error) -> ClientRequest {
        let path = address.path(of: request.key)
        let query = SigV4.encode(request.query)
        let url: HTTPURL
        do throws(TransportError) { url = try address.url(of: query.isEmpty ? path : "\(path)?\(query)") } catch {
            throw S3Error(error)
        }
        let instant = timing.now().adding(milliseconds: skew)
        if let deadline, instant > deadline { throw .tooLate(key: request.key) }
        var fields = request.fields
        fields += [
            (name: "x-amz-content-sha256", value: request.payload), (name: "x-amz-date", value: SigV4.date(instant)),
        ]
        if let token = signer.credentials.sessionToken { fields.append((name: "x-amz-security-token", value: token)) }
        let authorization = signer.authorization(
            request.method.token, path: path, query: request.query,
            fields: fields + [(name: "host", value: address.authority)], payload: request.payload, at: instant)
        var signed = ClientRequest(request.method, url, body: request.body)
        for field in fields { signed.fields[FieldName(field.name)] = field.value }
        signed.fields[.authorization] = authorization
        signed.timeLimit = Self.timeLimit(forBytes: request.size)
        signed.responseTimeout = request.responseTimeout
        // Objects never change under their names, and uploads of parts replace each other. A deletion that the transport
        // repeated could be carried out twice without a notice.
        signed.isRepeatable = request.method != .delete
        return signed
    }

    /// Returns a URL at which anyone can get an object for a time; does not block.
    ///
    /// - Parameter query: The parameters of the request, such as those that set fields of the response.
    func link(to key: String, query: [(name: String, value: String)], validFor duration: Duration) -> String {
        let path = address.path(of: key)
        let instant = timing.now().adding(milliseconds: state.withLock { $0.skew })
        let signed = signer.signedQuery(
            "GET", path: path, query: query, host: address.authority, validFor: duration, at: instant)
        return "\(address.base)\(path)?\(signed)"
    }

    // MARK: Failures

    /// Returns the error of a response to a request that was signed with a correction of the clock.
    private func failure(_ method: Method, _ head: ResponseHead, _ document: [UInt8], skew: Int64) -> S3Error {
        let code = S3Document.code(in: document) ?? ""
        let message = S3Document.text(of: "Message", in: document).map { ShownText.of($0.utf8) } ?? ""
        let ahead = head.serverTime.map { $0.milliseconds - timing.now().milliseconds } ?? skew
        let region = head.fields["X-Amz-Bucket-Region"] ?? S3Document.text(of: "Region", in: document)
        switch (head.status, code) {
        case (_, "RequestTimeTooSkewed"): return .clockSkewed(seconds: ahead / 1000)
        case (403, "") where abs(ahead - skew) >= Self.suspiciousSkew: return .clockSkewed(seconds: ahead / 1000)
        case (301, _), (307, _), (_, "AuthorizationHeaderMalformed"), (_, "PermanentRedirect"):
            return .wrongRegion(region.map { ShownText.of($0.utf8) })
        case (401, _), (403, _), (400, "ExpiredToken"), (400, "InvalidToken"):
            return .denied(code: code, message: message)
        case (_, "NoSuchBucket"): return .noBucket(address.bucket)
        case (_, "NoSuchUpload"): return .noUpload
        case (404, "NoSuchKey"), (404, "NoSuchVersion"): return .noObject
        // The response to HEAD has no document.
        case (404, "") where method == .head: return .noObject
        // A proxy, or a server that has no buckets.
        case (404, _): return .unavailable(status: head.status, code: code)
        // Another request for the object is in progress.
        case (409, "OperationAborted"), (409, "ConditionalRequestConflict"):
            return .unavailable(status: head.status, code: code)
        case (409, _), (412, _): return .conditionFailed
        case (501, _): return .refused(status: head.status, code: code, message: message)
        case (429, _), (500..., _), (_, "SlowDown"), (_, "RequestTimeout"):
            return .unavailable(status: head.status, code: code)
        default: return .refused(status: head.status, code: code, message: message)
        }
    }
}

extension TransportError {
    /// Whether the server may have received the request without its outcome being known.
    fileprivate var mayBeCarriedOut: Bool {
        switch self {
        case .timedOut, .connectionEnded, .malformedResponse, .responseTooLarge, .proxyRefused: true
        default: false
        }
    }
}

extension S3Error {
    init(_ error: TransportError) {
        self =
            switch error {
            case .localFile(let error): .localFile(error)
            case .malformedResponse, .responseTooLarge: .malformed(error.description)
            default: .unreachable(reason: error.description)
            }
    }
}
