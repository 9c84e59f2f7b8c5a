package import Ground
package import HTTP
package import Transport

/// A client of the operators' API that sends a token; every call blocks.
package struct OperatorsClient: Sendable {
    let server: HTTPURL
    let client: HTTPClient
    private let token: String?
    /// Whether the server only checks changes, and makes none.
    package private(set) var isDryRun: Bool
    let clock: any ClientClock
    private let onWait: @Sendable (Duration) -> Void

    /// The number of attempts when the server is busy, and the longest wait before each.
    package static let attempts = 5
    package static let longestWait = Duration.seconds(60)

    /// - Parameters:
    ///   - server: The server's root, without `/api/v1`.
    ///   - token: The secret of the token; `nil` to send none.
    ///   - isDryRun: Whether the server only checks changes, and makes none.
    ///   - onWait: Called with the wait that the server has requested, before the wait.
    package init(
        server: HTTPURL, token: String?, isDryRun: Bool = false, client: HTTPClient = HTTPClient(),
        clock: any ClientClock = SystemClientClock(),
        onWait: @escaping @Sendable (Duration) -> Void = { _ in }
    ) {
        self.server = server
        self.token = token
        self.isDryRun = isDryRun
        self.client = client
        self.clock = clock
        self.onWait = onWait
    }

    /// A copy of the client whose calls are dry runs.
    package var rehearsing: OperatorsClient {
        var copy = self
        copy.isDryRun = true
        return copy
    }

    /// A JSON response and its status.
    package struct JSONResponse: Sendable, Equatable {
        package let status: Int
        package let body: JSON
    }

    /// Sends a call that has a JSON response; see ``send(_:_:_:body:responseTimeout:progress:)``.
    ///
    /// A change by `POST` or `PATCH` has an `Idempotency-Key`, so that it is made once although a lost connection makes the
    /// client send it again (decision 0078).
    ///
    /// - Parameter isRepeated: Whether the call is sent again after a lost connection.
    package func call(
        _ method: Method, _ path: String, body: ClientRequest.Body = .none, contentType: String? = nil,
        ifMatch: String? = nil, responseTimeout: Duration? = nil, isRepeated: Bool = true,
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(OperatorsError) -> JSONResponse {
        var fields = Fields()
        fields[.contentType] = contentType
        fields[.ifMatch] = ifMatch
        if isRepeated, Self.takesKey(method, path) { fields[.idempotencyKey] = Self.newKey() }
        let response = try persistently(isRepeated) { () throws(OperatorsError) in
            try send(method, path, fields, body: body, responseTimeout: responseTimeout, progress: progress)
        }
        guard let json = JSON(parsing: response.body) else {
            throw .malformedResponse("the body of \(path) is not JSON")
        }
        guard !isRehearsal(method) || json["dryRun"]?.bool == true else {
            throw .malformedResponse(
                "it does not confirm the dry run, so the server may have made the change; check its state, and upgrade "
                    + "the server before another dry run")
        }
        return JSONResponse(status: response.head.status, body: json)
    }

    /// Sends a call, and repeats it after a wait if the server limits the rate (429).
    ///
    /// Throws `refused` for every status but 2xx.
    ///
    /// - Parameters:
    ///   - path: The path below `/api/v1`, beginning with `/`, with percent-encoded ids.
    ///   - fields: Header fields besides those of every call.
    ///   - responseTimeout: The timeout of the response's head, for slow routes; `nil` for the transport's own.
    ///   - progress: Called with the sent bytes and all bytes of the body.
    func send(
        _ method: Method, _ path: String, _ fields: Fields, body: ClientRequest.Body = .none,
        responseTimeout: Duration? = nil, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(OperatorsError) -> ClientResponse {
        var request = request(method, path, body: body)
        for field in fields.all { request.fields[field.name] = field.value }
        request.responseTimeout = responseTimeout
        var response: ClientResponse
        var attempt = 1
        do throws(TransportError) {
            response = try client.send(request, progress: progress)
            while attempt < Self.attempts, let wait = Self.wait(after: response.head) {
                onWait(wait)
                clock.sleep(for: wait)
                response = try client.send(request, progress: progress)
                attempt += 1
            }
        } catch {
            throw .transport(error)
        }
        guard response.head.isSuccess else { throw .refused(Problem(response)) }
        return response
    }

    /// Returns the body of a response that is not JSON.
    package func bytes(_ path: String) throws(OperatorsError) -> [UInt8] {
        try send(.get, path, Fields()).body
    }

    func request(_ method: Method, _ path: String, body: ClientRequest.Body = .none) -> ClientRequest {
        let mark = isRehearsal(method) ? (path.contains("?") ? "&" : "?") + "dryRun=1" : ""
        var fields: Fields = [.accept: "application/json"]
        fields[.authorization] = token.map { "Bearer \($0)" }
        return ClientRequest(method, server.appending("/api/v1" + path + mark), fields: fields, body: body)
    }

    private func isRehearsal(_ method: Method) -> Bool { isDryRun && method != .get && method != .head }

    /// Returns the wait before a call is repeated; `nil` if it must not be repeated, or the wait would be too long.
    private static func wait(after head: ResponseHead) -> Duration? {
        guard head.status == 429, let seconds = head.fields[.retryAfter].flatMap({ Int($0) }) else { return nil }
        let wait = Duration.seconds(max(seconds, 1))
        return wait <= longestWait ? wait : nil
    }

    /// Sends a call with a JSON body.
    package func call(
        _ method: Method, _ path: String, _ body: JSON, ifMatch: String? = nil, responseTimeout: Duration? = nil
    ) throws(OperatorsError) -> JSONResponse {
        try call(
            method, path, body: .bytes(body.bytes()), contentType: "application/json", ifMatch: ifMatch,
            responseTimeout: responseTimeout)
    }

    /// Puts the text of a file, and returns the response.
    package func upload(
        _ path: String, fileAt file: String, ifMatch: String? = nil
    ) throws(OperatorsError) -> JSON {
        try call(
            .put, path, body: .file(path: file), contentType: "text/plain", ifMatch: ifMatch,
            responseTimeout: Self.patience
        ).body
    }
}
