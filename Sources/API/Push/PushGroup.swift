import HTTP
import Synchronization

/// The clients that wait for the same events, from the first of them until an event wakes all.
///
/// Each client refers to its group instead of an interest of its own. A client of a group that is over need not be removed
/// from any list, so that the ends of thousands of woken waits do not wait for each other.
final class PushGroup: Sendable {
    let interest: PushInterest
    private let over = Atomic<Bool>(false)

    init(_ interest: PushInterest) { self.interest = interest }

    /// Whether an event has woken the clients, which are removed together.
    var isOver: Bool { over.load(ordering: .acquiring) }

    func end() { over.store(true, ordering: .releasing) }
}
