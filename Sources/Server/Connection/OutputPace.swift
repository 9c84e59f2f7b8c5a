/// How much a peer has taken since it was last looked at, by what was handed to the kernel and what the kernel still has.
///
/// The kernel takes more at once than a slow peer does in a minute: what it took alone says little.
struct OutputPace {
    /// Bytes that the kernel took since.
    var moved = 0
    /// Bytes that the kernel had not got acknowledged then.
    private(set) var queued: Int

    init(queued: Int) {
        self.queued = queued
    }

    /// Bytes that the peer took since, given what the kernel has now.
    func taken(queued now: Int) -> Int { moved + queued - now }
}
