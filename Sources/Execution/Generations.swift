/// What was asked for lately, as much of it as there is room for.
///
/// Two generations: what was asked for since the last change, and what was asked for in the one before, which goes when
/// the younger is full.
package struct Generations<Key: Hashable, Value> {
    private let capacity: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// - Parameter capacity: Values at a time, two at least.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// How many there are.
    package var count: Int { young.count + old.count }

    /// What is kept under a key, which then stays for longer.
    package mutating func find(_ key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old.removeValue(forKey: key) else { return nil }
        keep(value, under: key)
        return value
    }

    package mutating func keep(_ value: Value, under key: Key) {
        if young.count >= capacity / 2 {
            old = young
            young = [:]
        }
        young[key] = value
    }
}
