/// The bytes that a peer has taken since the last check, computed from the bytes handed to the kernel and those it
/// still holds.
///
/// The kernel accepts more at once than a slow peer takes in a minute, so the bytes handed to it do not suffice.
struct OutputPace {
    /// The bytes handed to the kernel since the last check.
    var moved = 0
    /// The bytes that were unacknowledged at the last check.
    private(set) var queued: Int

    init(queued: Int) {
        self.queued = queued
    }

    /// Returns the bytes that the peer has taken since the last check, given the number that is unacknowledged now.
    func taken(queued now: Int) -> Int { moved + queued - now }
}
