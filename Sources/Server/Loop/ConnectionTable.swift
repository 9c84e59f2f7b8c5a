/// A loop's connections by slot.
///
/// A slot's generation tells a connection from the one that had the slot before.
struct ConnectionTable {
    private var connections: [Connection?] = []
    private var generations: [UInt32] = []
    private var vacant: [Int] = []
    private(set) var count = 0

    /// How many slots there are, in use or not.
    var slots: Int { connections.count }

    var all: [Connection] { connections.compactMap(\.self) }

    @inline(__always)
    subscript(slot: Int) -> Connection? {
        slot < connections.count ? connections[slot] : nil
    }

    /// The connection that an event is for; `nil` when it is gone.
    @inline(__always)
    func connection(_ slot: Int, generation: UInt32) -> Connection? {
        guard slot < connections.count, generations[slot] == generation else { return nil }
        return connections[slot]
    }

    /// Finds a slot for a connection.
    mutating func insert(_ make: (_ slot: Int, _ generation: UInt32) -> Connection) -> Connection {
        let slot = vacant.popLast() ?? connections.count
        if slot == connections.count {
            connections.append(nil)
            generations.append(0)
        }
        let connection = make(slot, generations[slot])
        connections[slot] = connection
        count += 1
        return connection
    }

    mutating func remove(_ slot: Int) {
        connections[slot] = nil
        generations[slot] &+= 1
        vacant.append(slot)
        count -= 1
    }
}
