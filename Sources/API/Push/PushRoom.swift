import Domain
import HTTP
import Platform
import Synchronization

/// The clients of one app that wait for a change.
///
/// A waiting client has seen every event that concerns it. So all clients that follow the same packages of a channel
/// share one response to an event, which is made once.
final class PushRoom: Sendable {
    /// The channel and the packages that a waiting client follows.
    struct Interest: Hashable, Sendable {
        let channel: ChannelName
        /// The followed packages; `nil` for all.
        let packages: Set<PackageID>?

        /// The interest in all packages of the channel.
        var widened: Interest { Interest(channel: channel, packages: nil) }
    }

    /// The number of clients that may wait; a further one gets an immediate response without news.
    static let capacity = 200_000
    /// The number of distinct interests; past it, a client with a new one waits for the whole channel.
    ///
    /// Such a client is woken more often than it asked for.
    static let maximumInterests = 4096

    private struct State {
        var waiting: [Interest: Set<WaitTicket>] = [:]
        /// The clients that know later events than `notified`, because another node has notified them.
        var ahead: [WaitTicket: Ahead] = [:]
        var count = 0
        /// The sequence of the last event of which waiting clients were notified.
        var notified: Int64

        mutating func insert(_ ticket: WaitTicket, _ interest: Interest) {
            let isWide = waiting[interest] == nil && waiting.count >= PushRoom.maximumInterests
            waiting[isWide ? interest.widened : interest, default: []].insert(ticket)
        }
    }

    private struct Ahead {
        let interest: Interest
        let cursor: Cursor
    }

    private let app: LiveApp
    /// Whether other nodes notify the same clients.
    private let isShared: Bool
    private let state: Mutex<State>

    init(app: LiveApp, isShared: Bool) {
        self.app = app
        self.isShared = isShared
        state = Mutex(State(notified: app.log.sequence))
    }

    /// Begins to wait, or returns a response if there is news already or too many clients wait.
    func enter(_ ticket: WaitTicket, _ interest: Interest, since cursor: Cursor) -> PushResponse? {
        // Events are appended before `wake` takes this lock: either this call sees the news, or `wake` sees the ticket.
        state.withLock { state in
            let log = app.log
            let response = log.respond(interest, since: cursor)
            guard state.count < Self.capacity else { return response }
            let isNothing = if case .nothing = response.content { true } else { false }
            let isAhead = isShared && cursor.epoch == log.epoch && cursor.sequence > state.notified
            if isAhead, isNothing || log.isBehind(cursor) {
                state.ahead[ticket] = Ahead(interest: interest, cursor: cursor)
            } else if isNothing {
                state.insert(ticket, interest)
            } else {
                return response
            }
            state.count += 1
            return nil
        }
    }

    func leave(_ ticket: WaitTicket, _ interest: Interest) {
        state.withLock { state in
            if state.ahead.removeValue(forKey: ticket) != nil {
                state.count -= 1
                return
            }
            for interest in [interest, interest.widened] where state.waiting[interest]?.remove(ticket) != nil {
                state.count -= 1
                if state.waiting[interest]?.isEmpty ?? false { state.waiting[interest] = nil }
                return
            }
        }
    }

    /// Responds to all clients that these events concern.
    func wake(_ events: [Event]) {
        let (woken, late) = state.withLock { state in
            let interests = state.waiting.keys.filter { interest in
                events.contains { $0.concerns(channel: interest.channel, packages: interest.packages) }
            }
            let woken = interests.map { interest in
                let tickets = state.waiting.removeValue(forKey: interest) ?? []
                state.count -= tickets.count
                return (interest, tickets)
            }
            // After the others, since these clients know some of the events.
            return (woken, Self.reached(by: events, &state, app.log))
        }
        for (ticket, response) in late { ticket.lot.respond([ticket.number], with: response.prepared) }
        let cursor = app.log.cursor
        for (interest, tickets) in woken {
            let own = events.filter { $0.concerns(channel: interest.channel, packages: interest.packages) }
            let response = PushResponse(news: EventLog.News(own), cursor: cursor).prepared
            for sameLot in Dictionary(grouping: tickets, by: { ObjectIdentifier($0.lot) }).values {
                sameLot.first?.lot.respond(sameLot.map(\.number), with: response)
            }
        }
    }

    /// Lets the clients wait whose last events these are, and returns the responses to those with further news.
    private static func reached(
        by events: [Event], _ state: inout State, _ log: EventLog
    ) -> [(WaitTicket, PushResponse)] {
        state.notified = max(state.notified, events.last?.sequence ?? 0)
        var late: [(WaitTicket, PushResponse)] = []
        for (ticket, client) in state.ahead where client.cursor.sequence <= state.notified {
            state.ahead[ticket] = nil
            let response = log.respond(client.interest, since: client.cursor)
            if case .nothing = response.content {
                state.insert(ticket, client.interest)
            } else {
                state.count -= 1
                late.append((ticket, response))
            }
        }
        return late
    }

    /// Returns the response to a client whose wait is over.
    ///
    /// The response includes events that arrive at that very moment: a cursor past them without the events would hide
    /// them.
    func end(_ interest: Interest, since cursor: Cursor) -> PushResponse { app.log.respond(interest, since: cursor) }
}

extension EventLog {
    /// Returns the current response to a client at a cursor.
    func respond(_ interest: PushRoom.Interest, since cursor: Cursor) -> PushResponse {
        PushResponse(
            news: news(since: cursor, channel: interest.channel, packages: interest.packages), cursor: self.cursor)
    }
}
