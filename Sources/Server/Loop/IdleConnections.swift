import HTTP

/// The kinds of idle connections, in the order in which they are evicted.
enum Idleness: CaseIterable, Sendable {
    /// The peer has no request in progress, or has sent only part of a head.
    case withoutRequest
    /// The peer waits on `/push`.
    case polling
    /// Like ``withoutRequest``, for less than ``Deadlines/idleGrace``: the peer may be about to send its request.
    case recent
}

/// The connections of a loop that have been idle longest; one search of the table finds many of them.
///
/// A connection's idle time restarts with each request. The connections that were idle longest at one instant still are
/// later, except for those that have had a request since, which are skipped.
struct IdleConnections {
    /// The maximum number of connections that one search finds.
    static let batch = 64
    /// The time between two searches if the first found no connection to close, or fewer than a batch in a large table.
    static let pause: Duration = .milliseconds(250)
    /// The number of slots up to which a table is searched without a pause after a successful search.
    static let smallTable = 1_024

    private struct Candidate {
        let slot: Int
        let generation: UInt32
        let since: Instant
    }

    private struct Found {
        /// The candidates; the one that has been idle longest is last.
        var candidates: [Candidate] = []
        var nextSearch = Instant(nanoseconds: .min)
    }

    private var found: [Idleness: Found] = [:]

    /// Returns the connection that has been idle longest in this way, or `nil` if there is none.
    mutating func next(_ idleness: Idleness, in table: ConnectionTable, at now: Instant) -> Connection? {
        var own = found[idleness, default: Found()]
        defer { found[idleness] = own }
        if let connection = Self.take(from: &own.candidates, idleness, in: table) { return connection }
        guard now >= own.nextSearch else { return nil }
        own.candidates = Self.search(idleness, in: table)
        let isRich = own.candidates.count == Self.batch || table.slots <= Self.smallTable
        let connection = Self.take(from: &own.candidates, idleness, in: table)
        // Without the pause, each accepted connection could search the whole table.
        if !isRich || connection == nil { own.nextSearch = now + Self.pause }
        return connection
    }

    private static func take(
        from candidates: inout [Candidate], _ idleness: Idleness, in table: ConnectionTable
    ) -> Connection? {
        while let candidate = candidates.popLast() {
            guard let connection = table.connection(candidate.slot, generation: candidate.generation),
                connection.state.idleSince == candidate.since, connection.idleness == idleness,
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
            let since = connection.state.idleSince
            if candidates.count == batch, let youngest = candidates.first, since >= youngest.since { continue }
            // This queries the kernel, so it is limited to possible candidates.
            guard !connection.isKernelInFlight else { continue }
            if candidates.count == batch { candidates.removeFirst() }
            let index = candidates.firstIndex { $0.since <= since } ?? candidates.endIndex
            candidates.insert(
                Candidate(slot: slot, generation: connection.generation, since: since), at: index)
        }
        return candidates
    }
}

/// A search for a connection to close, which visits one loop after another until one of them closes a connection.
struct Eviction: Sendable {
    private let loops: [EventLoop]
    private let first: Int
    private var step = 0

    /// - Parameter first: The index of the loop to begin with; its longest idle connection is closed if it has one.
    init(among loops: [EventLoop], from first: Int) {
        self.loops = loops
        self.first = first
    }

    /// Visits every loop for each kind of idle connection in turn.
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
    /// Closes the connection that has been idle longest; returns whether there was one.
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
