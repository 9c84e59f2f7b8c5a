/// An operation that ``ConnectionState`` asks of its connection.
enum ConnectionStep: UInt8 {
    /// None: the connection waits for its next event.
    case rest
    /// Reads requests and responds to them.
    case readRequests
    /// Reads the body for its handler.
    case readBody
    /// Fails the handler's reading of the body, because the peer is late.
    case failBody
    /// Rejects the incomplete head with 408.
    case refuse
    /// Responds to the parked request as at its deadline.
    case expireWait
    /// Sends the heartbeat of the open response.
    case sendHeartbeat
    /// Sends the pending output; if the kernel takes all of it, ``ConnectionState/next`` follows.
    case send
    /// Begins to wait for input (``ConnectionState/awaitInput(at:_:)``).
    case awaitInput
    /// Closes an idle connection unless a request has arrived unread.
    case endIdle
    /// Ends a connection without a request in progress (``ConnectionState/end(isInFlight:)``).
    case end
    /// Sends everything, ends the stream, and waits for the peer to close.
    case finish
    /// Gives the peer time to close (``ConnectionState/linger(at:_:)``).
    case linger
    /// Discards input until the peer closes.
    case discardInput
    /// Checks the peer's pace at the deadline for output (``ConnectionState/judgeOutput(taken:_:)``).
    case checkOutput
    /// Gives the peer more time to take the pending output.
    case extendOutput
    /// Checks the peer's pace at the deadline for its close (``ConnectionState/judgeLingering(taken:isInFlight:_:)``).
    case checkLingering
    /// Closes if the peer has acknowledged everything, and checks again soon if it has not.
    case checkAcknowledgement
    /// Closes at once, for a peer that takes output too slowly.
    case cutOff
    /// Closes at once.
    case close
}
