/// How a request is answered.
package enum Disposition: Sendable {
    /// At once, with an answer made earlier, of bytes or with an open file. The fast path: no task, no suspension. A
    /// request body is discarded.
    case prepared(PreparedResponse)
    /// At once. A request body is discarded.
    case respond(Response)
    /// Later, when something happens or after a time: the connection is parked without a task. A request body is
    /// discarded.
    case wait(any Waiting, upTo: Duration)
    /// By a task on the connection's loop, which may read the body and wait. At most `bodyLimit` bytes are read.
    case handle(bodyLimit: Int, @Sendable (Request) async -> Response)
}
