/// A parked request (a long poll) from the application's point of view.
///
/// The server calls ``begin(_:)`` once. If that returns no response, the server then calls either ``expire()`` at the
/// deadline or ``cancel()`` when the peer disconnects. A response through the ticket may race with both; the first one
/// counts.
package protocol Waiting: AnyObject, Sendable {
    /// Begins to wait, or returns a response if one is available; the request then does not wait.
    func begin(_ ticket: WaitTicket) -> Response?
    /// Ends the wait at its deadline or when the server drains, and returns the response.
    func expire() -> Response
    /// Ends the wait because the peer disconnected.
    func cancel()
}

/// The right to respond once to a parked connection, from any thread; only the first use counts.
package struct WaitTicket: Sendable, Hashable {
    package let lot: any WaitingLot
    /// A number that is unique in its lot as long as the process lives.
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

/// The holder of parked connections: an event loop, or a test.
package protocol WaitingLot: AnyObject, Sendable {
    /// Sends a response to each of these parked requests, in one hop for all of them. Ignores numbers that are no
    /// longer parked.
    func respond(_ numbers: [UInt64], with response: PreparedResponse)
}
