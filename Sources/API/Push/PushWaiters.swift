import Domain
import HTTP
import Platform

/// The waiting clients of an app by what they follow: those of its long polls, or those of its event streams.
///
/// A waiting client has seen every event that concerns it. So all clients of one interest share each response or piece.
struct PushWaiters {
    /// The number of distinct interests; past it, a client with a new one waits for the whole channel.
    ///
    /// Such a client is notified more often than it asked for.
    static let maximumInterests = 4096

    /// A client that knows events which this node does not have: another node has sent them, and this one has not read
    /// them yet or the store has lost them.
    struct Ahead {
        let group: PushGroup
        let cursor: Cursor
        /// The instant of the request: the store had the event of the cursor then, unless it has lost it.
        let since: ContinuousClock.Instant
    }

    /// A group with the tickets of its clients.
    struct Members {
        let group: PushGroup
        var tickets = TicketGroup()
    }

    /// The clients that know the events up to ``notified``.
    private var groups: [PushInterest: Members] = [:]
    private var ahead: [WaitTicket: Ahead] = [:]
    /// The sequence of the last event of which the clients were notified.
    private var notified: Int64

    init(notified: Int64, _ groups: [PushInterest: Members] = [:]) {
        self.notified = notified
        self.groups = groups
    }

    /// Adds a client that knows the events up to a cursor; returns the group in which it waits.
    ///
    /// - Parameter group: A group of the client alone, with its interest.
    @discardableResult
    mutating func insert(_ ticket: WaitTicket, _ group: PushGroup, knowing cursor: Cursor) -> PushGroup {
        guard cursor.sequence <= notified else {
            ahead[ticket] = Ahead(group: group, cursor: cursor, since: .now)
            return group
        }
        let interest = group.interest
        guard groups[interest] != nil || groups.count < Self.maximumInterests else {
            let widened = interest.widened
            groups[widened, default: Members(group: PushGroup(widened))].tickets.insert(ticket)
            return group
        }
        groups[interest, default: Members(group: group)].tickets.insert(ticket)
        return groups[interest]?.group ?? group
    }

    /// Removes a client; its group is the one that ``insert(_:_:knowing:)`` returned.
    mutating func remove(_ ticket: WaitTicket, _ group: PushGroup) {
        guard ahead.removeValue(forKey: ticket) == nil else { return }
        for interest in [group.interest, group.interest.widened]
        where groups[interest]?.tickets.remove(ticket) ?? false {
            if groups[interest]?.tickets.isEmpty ?? false { groups[interest] = nil }
            return
        }
    }

    /// Returns the groups that some of these events concern.
    func concerned(by events: [Event]) -> [PushInterest: Members] {
        groups.filter { group in events.contains { $0.concerns(group.key) } }
    }

    /// Removes these groups.
    mutating func remove(_ concerned: [PushInterest: Members]) {
        for (interest, members) in concerned {
            groups[interest] = nil
            members.group.end()
        }
    }

    /// Notes that the clients are notified of the events up to a sequence; removes and returns the clients that were ahead
    /// of these events and no longer are.
    mutating func advance(to sequence: Int64) -> [WaitTicket: Ahead] {
        notified = max(notified, sequence)
        let reached = ahead.filter { $0.value.cursor.sequence <= notified }
        for ticket in reached.keys { ahead[ticket] = nil }
        return reached
    }

    /// Removes and returns the clients whose last event the store has lost, as it turned out since they came.
    mutating func removeLost(_ app: LiveApp) -> [WaitTicket: Ahead] {
        guard !ahead.isEmpty else { return [:] }
        let lost = ahead.filter { app.wasAbsent($0.value.cursor, after: $0.value.since) }
        for ticket in lost.keys { ahead[ticket] = nil }
        return lost
    }

    /// Removes and returns all clients; further events begin after a sequence.
    mutating func removeAll(
        notified sequence: Int64
    ) -> (groups: [PushInterest: Members], ahead: [WaitTicket: Ahead]) {
        defer { self = PushWaiters(notified: sequence) }
        return (groups, ahead)
    }
}

/// Waiting requests by the lot that holds them, so that those of a lot are reached in one hop.
struct TicketGroup {
    private var lots: [(lot: any WaitingLot, numbers: Set<UInt64>)] = []

    init() {}

    init(_ tickets: some Sequence<WaitTicket>) {
        for ticket in tickets { insert(ticket) }
    }

    var isEmpty: Bool { lots.isEmpty }

    var count: Int { lots.reduce(0) { $0 + $1.numbers.count } }

    mutating func insert(_ ticket: WaitTicket) {
        if let index = index(of: ticket) {
            lots[index].numbers.insert(ticket.number)
        } else {
            lots.append((ticket.lot, [ticket.number]))
        }
    }

    /// Removes a ticket; returns whether the group had it.
    mutating func remove(_ ticket: WaitTicket) -> Bool {
        guard let index = index(of: ticket), lots[index].numbers.remove(ticket.number) != nil else { return false }
        if lots[index].numbers.isEmpty { lots.remove(at: index) }
        return true
    }

    /// The number of lots is that of the event loops.
    private func index(of ticket: WaitTicket) -> Int? { lots.firstIndex { $0.lot === ticket.lot } }

    func respond(with response: PreparedResponse) {
        for (lot, numbers) in lots { lot.respond(Array(numbers), with: response) }
    }

    func send(_ piece: [UInt8]) {
        for (lot, numbers) in lots { lot.send(piece, to: Array(numbers)) }
    }
}
