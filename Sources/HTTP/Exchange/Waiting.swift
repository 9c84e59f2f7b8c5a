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
