/// The way in which a request gets its response.
package enum Disposition: Sendable {
    /// A prepared response of bytes or an open file, sent immediately: the fast path without a task or suspension. A
    /// request body is discarded.
    case prepared(PreparedResponse)
    /// A response that is sent immediately. A request body is discarded.
    case respond(Response)
    /// A response that follows after an event or a timeout: the connection is parked without a task. A request body is
    /// discarded.
    case wait(any Waiting, upTo: Duration)
    /// A response made by a task on the connection's loop, which may read up to `bodyLimit` bytes of the body and may
    /// wait.
    case handle(bodyLimit: Int, @Sendable (Request) async -> Response)
}

extension Disposition {
    /// Returns a copy whose response has a further header field; a wait is returned as it is.
    package func with(_ name: FieldName, _ value: String) -> Disposition {
        switch self {
        case .prepared(let prepared): .respond(prepared.response.with(name, value))
        case .respond(let response): .respond(response.with(name, value))
        case .wait: self
        case .handle(let bodyLimit, let handler):
            .handle(bodyLimit: bodyLimit) { request in await handler(request).with(name, value) }
        }
    }
}

extension Response {
    fileprivate func with(_ name: FieldName, _ value: String) -> Response {
        var response = self
        response.fields[name] = value
        return response
    }
}
