import Synchronization

/// A counter that several tasks share.
package final class Counter: Sendable {
    private let storage = Mutex(0)

    package init() {}

    package var value: Int {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }

    /// Adds one and returns the sum.
    @discardableResult
    package func increment() -> Int {
        storage.withLock { value in
            value += 1
            return value
        }
    }
}
