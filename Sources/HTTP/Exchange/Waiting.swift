/// A parked request (a long poll) from the application's point of view.
///
/// The server calls ``begin(_:)`` once. If that returns no response, the wait lasts until there is a response through the
/// ticket, until the deadline, for which the server calls ``expire()``, or until the peer disconnects. These may race; the
/// first one counts.
package protocol Waiting: AnyObject, Sendable {
    /// Begins to wait, or returns a response if one is available; the request then does not wait.
    func begin(_ ticket: WaitTicket) -> Response?
    /// Returns the response to a wait that ends at its deadline or because the server drains.
    func expire() -> Response
    /// Notes that the wait is over, however it has ended; called once after ``begin(_:)``.
    ///
    /// If an event wakes many requests, the server sends all responses first, except that a client's next request ends its
    /// wait at once.
    func didEnd()
}

/// The right to respond once to a parked connection, or to add pieces to an open response, from any thread; of several
/// responses only the first one counts.
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
    /// longer parked. What is sent to one request through this and the other functions keeps its order.
    func respond(_ numbers: [UInt64], with response: PreparedResponse)
    /// Sends a piece to each of these open responses, in one hop for all of them. Ignores numbers that have ended.
    func send(_ piece: [UInt8], to numbers: [UInt64])
    /// Completes these open responses. Ignores numbers that have ended.
    func finish(_ numbers: [UInt64])
}
