/// A dictionary whose keys are ordered by last use; each operation takes constant time.
struct RecencyList<Key: Hashable, Value> {
    private struct Node {
        let key: Key
        var value: Value
        var older: Int?
        var newer: Int?
    }

    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var places: [Key: Int] = [:]
    private var oldest: Int?
    private var newest: Int?

    var count: Int { places.count }

    /// Returns whether the key has a value, without marking it as used.
    func contains(_ key: Key) -> Bool { places[key] != nil }

    /// Returns the value of a key, which becomes the most recently used one.
    mutating func use(_ key: Key) -> Value? {
        guard let place = places[key], let node = unlink(place) else { return nil }
        link(node, at: place)
        return node.value
    }

    /// Sets the value of a key, which becomes the most recently used one; returns the previous value.
    mutating func insert(_ value: Value, for key: Key) -> Value? {
        let former = remove(key)
        let place = free.popLast() ?? nodes.count
        if place == nodes.count { nodes.append(nil) }
        places[key] = place
        link(Node(key: key, value: value), at: place)
        return former
    }

    mutating func remove(_ key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key), let node = unlink(place) else { return nil }
        nodes[place] = nil
        free.append(place)
        return node.value
    }

    /// Removes the least recently used key.
    mutating func removeOldest() -> (key: Key, value: Value)? {
        guard let place = oldest, let key = nodes[place]?.key, let value = remove(key) else { return nil }
        return (key, value)
    }

    private mutating func link(_ node: Node, at place: Int) {
        var node = node
        (node.older, node.newer) = (newest, nil)
        nodes[place] = node
        if let newest { nodes[newest]?.newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) -> Node? {
        guard let node = nodes[place] else { return nil }
        if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
        if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
        return node
    }
}
