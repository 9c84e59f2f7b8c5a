/// When a connection's peer is out of time, by the up to three clocks that run for it.
///
/// The one rule of which of them counts: nothing is read from a peer that has answers to take, so while output is held
/// up the time for the peer's ``input`` does not count, and that for the ``output`` does. It is kept, though, and counts
/// again afterwards. The ``end`` of what is under way as a whole counts in either case.
struct ConnectionDeadline: Equatable {
    enum Cause {
        case input, end, output
    }

    /// Until when the peer has to send the next it is to send, or the end of a head.
    var input = Instant.distantFuture
    /// Until when a wait, a small body or the peer's own close has to be over.
    var end = Instant.distantFuture
    /// Until when the peer has to take some of what is held up; `nil` while nothing is.
    var output: Instant?

    /// The first deadline that counts, and what it is for.
    @inline(__always)
    var next: (moment: Instant, cause: Cause) {
        let (moment, cause): (Instant, Cause) = output.map { ($0, .output) } ?? (input, .input)
        return end <= moment ? (end, .end) : (moment, cause)
    }
}
