/// A cache of recently used values with a bounded total cost.
///
/// Entries belong to the young or the old generation. When the young one is full it becomes the old one, and the
/// entries of the old one are evicted. Public and inlinable, since the compiler specializes only such generics in other
/// modules.
public struct Generations<Key: Hashable, Value> {
    @usableFromInline struct Entry {
        @usableFromInline let value: Value
        @usableFromInline let cost: Int

        @inlinable init(value: Value, cost: Int) {
            (self.value, self.cost) = (value, cost)
        }
    }

    @usableFromInline let capacity: Int
    @usableFromInline var young: [Key: Entry] = [:]
    @usableFromInline var old: [Key: Entry] = [:]
    @usableFromInline var youngCost = 0
    @usableFromInline var oldCost = 0

    /// - Parameter capacity: The maximum total cost of the values; at least two.
    @inlinable public init(capacity: Int) {
        self.capacity = capacity
    }

    /// The number of values.
    @inlinable public var count: Int { young.count + old.count }
    /// The total cost of the values.
    @inlinable public var cost: Int { youngCost + oldCost }

    /// Returns the value of a key and moves it to the young generation.
    @inlinable public mutating func find(_ key: Key) -> Value? {
        if let entry = young[key] { return entry.value }
        guard let entry = old.removeValue(forKey: key) else { return nil }
        oldCost -= entry.cost
        keep(entry.value, under: key, cost: entry.cost)
        return entry.value
    }

    /// Sets the value of a key.
    ///
    /// Does nothing if the cost is above half the capacity; an older value of the key then stays.
    @inlinable public mutating func keep(_ value: Value, under key: Key, cost: Int = 1) {
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
