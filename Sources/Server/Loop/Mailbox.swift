import Synchronization

/// What other threads leave for a loop.
struct Mailbox {
    var jobs: [UnownedJob] = []
    var actions: [@Sendable (EventLoop) -> Void] = []
    /// Whether the loop was woken since it last emptied the box.
    var isRung = false
    /// Whether the loop's thread has ended; what comes later is dropped.
    var isClosed = false
}
