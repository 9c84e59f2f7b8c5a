import Synchronization

/// How many connections there are, over all loops.
final class Census: Sendable {
    let limit: Int
    private let count = Atomic<Int>(0)
    private let isFull = Atomic<Bool>(false)

    init(limit: Int) {
        self.limit = limit
    }

    /// Makes place for one more; false when there is none.
    func enter() -> Bool {
        let (_, now) = count.add(1, ordering: .sequentiallyConsistent)
        guard now > limit else { return true }
        isFull.store(true, ordering: .sequentiallyConsistent)
        _ = leave()
        return false
    }

    /// Gives one place back; true when somebody was told that there was none.
    func leave() -> Bool {
        count.subtract(1, ordering: .sequentiallyConsistent)
        guard isFull.load(ordering: .sequentiallyConsistent) else { return false }
        return isFull.exchange(false, ordering: .sequentiallyConsistent)
    }
}
