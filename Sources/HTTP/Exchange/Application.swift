/// What the server asks for every request.
package protocol Application: AnyObject, Sendable {
    /// What the routes are called in figures and logs, by ``RouteID``; the first is ``RouteID/none``'s.
    var routes: [String] { get }

    /// Decides how a request is answered, once its head is complete.
    ///
    /// Called on the event loop: it must neither block nor wait. `HEAD` is decided as `GET` would be; the server
    /// leaves the body out.
    func decide(_ head: RequestHead) -> Decision
}

/// How a request is answered.
package enum Disposition: Sendable {
    /// At once, with ready-made bytes. The fast path: no task, no suspension. A request body is discarded.
    case prepared(PreparedResponse)
    /// At once. A request body is discarded.
    case respond(Response)
    /// Later, when something happens or after a time: the connection is parked without a task. A request body is
    /// discarded.
    case wait(any Waiting, upTo: Duration)
    /// By a task on the connection's loop, which may read the body and wait. At most `bodyLimit` bytes are read.
    case handle(bodyLimit: Int, @Sendable (Request) async -> Response)
}

/// A request that waits for something to happen (a long poll), as its application sees it.
///
/// The server calls ``begin(_:)`` once, then exactly one of: nothing (it answered at once), ``expire()`` when the
/// time is over, ``cancel()`` when the peer left. An answer through the ticket may cross either; the first wins.
package protocol Waiting: AnyObject, Sendable {
    /// Starts to wait. Returns an answer if there is one already; the request then does not wait.
    func begin(_ ticket: WaitTicket) -> Response?
    /// Ends the wait when its time is over, or when the server drains, with the answer that says so.
    func expire() -> Response
    /// Ends the wait because the peer left.
    func cancel()
}

/// A claim on one parked connection, redeemed from any thread; only the first time counts.
package struct WaitTicket: Sendable, Hashable {
    package let lot: any WaitingLot
    /// Unique in its lot for as long as the process lives.
    package let number: UInt64

    package init(lot: any WaitingLot, number: UInt64) {
        self.lot = lot
        self.number = number
    }

    package static func == (left: WaitTicket, right: WaitTicket) -> Bool {
        left.number == right.number && left.lot === right.lot
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(number)
        hasher.combine(ObjectIdentifier(lot))
    }
}

/// Where connections are parked: an event loop, or a test.
package protocol WaitingLot: AnyObject, Sendable {
    /// Answers each of these waiting requests, in one hop however many they are. Numbers that are no longer parked
    /// are passed over.
    func answer(_ numbers: [UInt64], with response: PreparedResponse)
}
