/// The deadlines of a connection's peer, from up to three timers.
///
/// While output is pending the server reads nothing, so the deadline for ``output`` replaces the one for ``input``,
/// which is kept and applies again afterwards. The deadline for the ``end`` of an operation as a whole always applies.
struct ConnectionDeadline: Equatable {
    enum Cause {
        case input, end, output
    }

    /// The deadline for the peer's next input, or for the end of a head.
    var input = Instant.distantFuture
    /// The deadline for the end of a wait, of a small body or of the peer's own close.
    var end = Instant.distantFuture
    /// The deadline for taking some of the pending output; `nil` without any.
    var output: Instant?

    /// The first effective deadline and its cause.
    @inline(__always)
    var next: (moment: Instant, cause: Cause) {
        let (moment, cause): (Instant, Cause) = output.map { ($0, .output) } ?? (input, .input)
        return end <= moment ? (end, .end) : (moment, cause)
    }
}
