import Synchronization

/// How many connections there are, over all loops.
final class Census: Sendable {
    let limit: Int
    private let count = Atomic<Int>(0)
    private let isFull = Atomic<Bool>(false)

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a place, on the thread of the acceptor only; false when there is none.
    func enter() -> Bool {
        while true {
            let (_, now) = count.add(1, ordering: .sequentiallyConsistent)
            if now <= limit { return true }
            count.subtract(1, ordering: .sequentiallyConsistent)
            isFull.store(true, ordering: .sequentiallyConsistent)
            // Whoever leaves from here on sees the mark; whoever left before it is seen here.
            if count.load(ordering: .sequentiallyConsistent) >= limit { return false }
            isFull.store(false, ordering: .sequentiallyConsistent)
        }
    }

    /// Gives one place back; true when somebody was told that there was none.
    func leave() -> Bool {
        count.subtract(1, ordering: .sequentiallyConsistent)
        guard isFull.load(ordering: .sequentiallyConsistent) else { return false }
        return isFull.exchange(false, ordering: .sequentiallyConsistent)
    }
}
