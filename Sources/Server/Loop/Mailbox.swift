import Synchronization

/// The work that other threads queue for a loop.
struct Mailbox {
    var jobs: [UnownedJob] = []
    var actions: [@Sendable (EventLoop) -> Void] = []
    /// Whether the loop has been woken since it last emptied the mailbox.
    var isRung = false
    /// Whether the loop's thread has ended; later work is dropped.
    var isClosed = false
}
