import HTTP

/// The connections of a loop that have been idle longest, found by looking through the table once for many of them.
///
/// A connection's idle time begins anew with each request. So the connections that were idle longest at one moment still
/// are later, but for those that have had a request since, which are passed over.
struct IdleConnections {
    /// Connections that one search finds at most.
    static let batch = 64
    /// The time between two searches where the first found none that could be closed, or fewer than a batch in a large table.
    static let pause: Duration = .milliseconds(250)
    /// Slots of a table that is searched without a pause where something was found.
    static let smallTable = 1_024

    private struct Candidate {
        let slot: Int
        let generation: UInt32
        let since: Instant
    }

    private struct Found {
        /// The longest idle one comes last.
        var candidates: [Candidate] = []
        var nextSearch = Instant(nanoseconds: .min)
    }

    private var found: [Idleness: Found] = [:]

    /// The connection that has been idle longest in this way; `nil` if there is none.
    mutating func next(_ idleness: Idleness, in table: ConnectionTable, at now: Instant) -> Connection? {
        var own = found[idleness, default: Found()]
        defer { found[idleness] = own }
        if let connection = Self.take(from: &own.candidates, idleness, in: table) { return connection }
        guard now >= own.nextSearch else { return nil }
        own.candidates = Self.search(idleness, in: table)
        let isRich = own.candidates.count == Self.batch || table.slots <= Self.smallTable
        let connection = Self.take(from: &own.candidates, idleness, in: table)
        // Each accepted connection would look through the whole table otherwise.
        if !isRich || connection == nil { own.nextSearch = now + Self.pause }
        return connection
    }

    private static func take(
        from candidates: inout [Candidate], _ idleness: Idleness, in table: ConnectionTable
    ) -> Connection? {
        while let candidate = candidates.popLast() {
            guard let connection = table.connection(candidate.slot, generation: candidate.generation),
                connection.idleSince == candidate.since, connection.idleness == idleness,
                // Closing would lose the rest of a response.
                !connection.isKernelInFlight
            else { continue }
            return connection
        }
        return nil
    }

    private static func search(_ idleness: Idleness, in table: ConnectionTable) -> [Candidate] {
        var candidates: [Candidate] = []
        for slot in 0..<table.slots {
            guard let connection = table[slot], connection.idleness == idleness else { continue }
            let since = connection.idleSince
            if candidates.count == batch, let youngest = candidates.first, since >= youngest.since { continue }
            // Asks the kernel, so only of those that would be candidates.
            guard !connection.isKernelInFlight else { continue }
            if candidates.count == batch { candidates.removeFirst() }
            let place = candidates.firstIndex { $0.since <= since } ?? candidates.endIndex
            candidates.insert(
                Candidate(slot: slot, generation: connection.generation, since: since), at: place)
        }
        return candidates
    }
}

/// A search for a connection to close, which goes from loop to loop until one has closed one.
struct Eviction: Sendable {
    private let loops: [EventLoop]
    private let first: Int
    private var step = 0

    /// - Parameter first: The loop that is asked first; its longest idle connection is closed if it has one.
    init(among loops: [EventLoop], from first: Int) {
        self.loops = loops
        self.first = first
    }

    /// Asks every loop for the connections of each kind in turn.
    func go() {
        guard step < loops.count * Idleness.allCases.count else { return }
        let idleness = Idleness.allCases[step / loops.count]
        loops[(first + step) % loops.count].perform { loop in
            guard !loop.closeLongestIdle(idleness) else { return }
            var next = self
            next.step += 1
            next.go()
        }
    }
}

extension EventLoop {
    /// Closes the connection that has been idle longest; whether there was one.
    fileprivate func closeLongestIdle(_ idleness: Idleness) -> Bool {
        guard drainEnd == nil else { return false }
        while let connection = idle.next(idleness, in: table, at: now) {
            guard connection.giveWay() else { continue }
            traffic.total.evicted += 1
            return true
        }
        return false
    }
}
