/// A loop's connections by slot.
///
/// The generation distinguishes a connection from earlier ones in its slot.
struct ConnectionTable {
    private var connections: [Connection?] = []
    private var generations: [UInt32] = []
    private var vacant: [Int] = []
    private(set) var count = 0

    /// The number of slots, in use or not.
    var slots: Int { connections.count }

    var all: [Connection] { connections.compactMap(\.self) }

    @inline(__always)
    subscript(slot: Int) -> Connection? {
        slot < connections.count ? connections[slot] : nil
    }

    /// Returns the connection that an event belongs to, or `nil` if it is closed.
    @inline(__always)
    func connection(_ slot: Int, generation: UInt32) -> Connection? {
        guard slot < connections.count, generations[slot] == generation else { return nil }
        return connections[slot]
    }

    /// Inserts a connection into a free slot.
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
