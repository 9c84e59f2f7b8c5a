import Synchronization

/// A value that several tasks read and change.
package final class Shared<Value: Sendable>: Sendable {
    private let storage: Mutex<Value>

    package init(_ value: Value) { storage = Mutex(value) }

    package var value: Value { storage.withLock { $0 } }

    package func change(_ body: (inout Value) -> Void) {
        storage.withLock { value in
            var copy = value
            body(&copy)
            value = copy
        }
    }
}
