/// An open response without an end, such as an event stream, from the application's point of view.
///
/// The server sends the head, calls ``begin(_:)`` once, and keeps the connection parked without a task. Pieces are then
/// sent through the ticket's lot from any thread, until the response is over. The server ends it if the peer has
/// disconnected or takes its pieces too slowly, if the connection is needed, or in a drain; the application ends it
/// through the lot (``WaitingLot/finish(_:)``).
package protocol Feed: AnyObject, Sendable {
    /// The time without a piece after which the server sends ``heartbeat``, so that no proxy takes the peer for gone.
    ///
    /// Read for each heartbeat, so that a varying time spreads the heartbeats of many responses.
    var interval: Duration { get }
    var heartbeat: [UInt8] { get }
    /// Begins; returns the first piece. Pieces sent through the ticket follow it.
    func begin(_ ticket: WaitTicket) -> [UInt8]
    /// Notes that the socket has taken all pieces that were sent.
    func didSend()
    /// Notes that the response is over, whichever side has ended it; called once after ``begin(_:)``.
    func didEnd()
}

extension Feed {
    package func didSend() {}
}

/// The limit on the bytes of pieces that the peer of a ``Feed`` has not taken.
package enum FeedLimits {
    /// The bytes that may be pending when another piece arrives; past them the connection is closed, and the peer
    /// continues with the last event that it knows.
    package static let pendingBytes = 64 << 10
}
