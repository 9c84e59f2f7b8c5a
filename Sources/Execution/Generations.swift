/// What was asked for lately, as much of it as there is room for.
///
/// Two generations: what was asked for since the last change, and what was asked for in the one before, which goes when
/// the younger is full.
package struct Generations<Key: Hashable, Value> {
    private struct Entry {
        let value: Value
        let cost: Int
    }

    private let capacity: Int
    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    private var youngCost = 0
    private var oldCost = 0

    /// - Parameter capacity: What all values may cost together, two at least.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// How many there are.
    package var count: Int { young.count + old.count }
    /// What they cost together.
    package var cost: Int { youngCost + oldCost }

    /// What is kept under a key, which then stays for longer.
    package mutating func find(_ key: Key) -> Value? {
        if let entry = young[key] { return entry.value }
        guard let entry = old.removeValue(forKey: key) else { return nil }
        oldCost -= entry.cost
        keep(entry.value, under: key, cost: entry.cost)
        return entry.value
    }

    /// Keeps a value, unless it alone costs more than a generation may.
    package mutating func keep(_ value: Value, under key: Key, cost: Int = 1) {
        guard cost <= capacity / 2 else { return }
        if let before = young.removeValue(forKey: key) { youngCost -= before.cost }
        if let before = old.removeValue(forKey: key) { oldCost -= before.cost }
        if youngCost + cost > capacity / 2 {
            (old, oldCost) = (young, youngCost)
            (young, youngCost) = ([:], 0)
        }
        young[key] = Entry(value: value, cost: cost)
        youngCost += cost
    }
}
