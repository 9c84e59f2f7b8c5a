import Domain
import HTTP
import Platform
import Synchronization

/// The clients of one app that wait for a change on `/push`, in long polls or with event streams.
final class PushClients: Sendable {
    let admission: PushAdmission
    private let app: LiveApp
    /// Whether other nodes notify the same clients: a cursor may then be ahead of the events that this one knows.
    private let isShared: Bool
    private let clock: any WallClock
    private let polls: Mutex<PushWaiters>
    private let streams: Mutex<PushWaiters>

    init(app: LiveApp, isShared: Bool, admission: PushAdmission, clock: any WallClock) {
        self.admission = admission
        self.app = app
        self.isShared = isShared
        self.clock = clock
        let sequence = app.log.sequence
        polls = Mutex(PushWaiters(notified: sequence))
        streams = Mutex(PushWaiters(notified: sequence))
    }

    /// Returns the cursor with the text of the log's epoch, so that waiting clients keep no copies of it.
    func shared(_ cursor: Cursor) -> Cursor {
        let epoch = app.log.epoch
        return cursor.epoch == epoch ? Cursor(epoch: epoch, sequence: cursor.sequence) : cursor
    }

    /// Returns the current response to a client at a cursor, or to one that begins.
    func respond(_ interest: PushInterest, since cursor: Cursor?) -> PushResponse {
        let log = app.log
        guard let cursor else { return response(.start, at: log.cursor, to: interest) }
        return response(PushResponse.Content(log.news(since: cursor, for: interest)), at: log.cursor, to: interest)
    }

    /// Returns a response at the newest cursor.
    func respond(_ content: PushResponse.Content, to interest: PushInterest) -> PushResponse {
        response(content, at: app.log.cursor, to: interest)
    }

    /// Whether another node has notified a client of events that this one does not have yet.
    func isAhead(_ cursor: Cursor) -> Bool { isShared && app.log.isBehind(cursor) }

    /// The seconds after which a client of a channel that does not wait asks for `/config` again.
    func pollAfter(_ interest: PushInterest) -> Int64 {
        PollInterval(before: app.view(of: interest.channel)?.boundary, at: clock.now()).seconds
    }

    // MARK: Long polls

    /// Parks a long poll, or returns the response if there is news already.
    func park(
        _ client: PushClient, _ ticket: WaitTicket, _ group: PushGroup, since cursor: Cursor?
    ) -> PushResponse? {
        // Events are appended before `notify` takes this lock: either this call sees them, or `notify` sees the ticket.
        polls.withLock { polls in
            let response = respond(group.interest, since: cursor)
            guard let cursor, response.isNothing || isAhead(cursor) else { return response }
            client.join(polls.insert(ticket, group, knowing: cursor))
            return nil
        }
    }

    // MARK: Event streams

    /// Adds an event stream, and returns its first piece: the events after the cursor.
    func open(_ client: PushClient, _ ticket: WaitTicket, _ group: PushGroup, since cursor: Cursor?) -> [UInt8] {
        streams.withLock { streams in
            if let cursor, isAhead(cursor) {
                streams.insert(ticket, group, knowing: cursor)
                return EventText.beginning
            }
            let log = app.log
            client.join(streams.insert(ticket, group, knowing: log.cursor))
            let content = cursor.map { PushResponse.Content(log.news(since: $0, for: group.interest)) } ?? .start
            return EventText.beginning + EventText.piece(of: content, at: log.cursor)
        }
    }

    /// Removes a client whose wait is over, unless an event has removed its whole group.
    func leave(_ form: PushClient.Form, _ ticket: WaitTicket, _ group: PushGroup) {
        guard !group.isOver else { return }
        switch form {
        case .poll: polls.withLock { $0.remove(ticket, group) }
        case .stream: streams.withLock { $0.remove(ticket, group) }
        }
    }

    // MARK: Notices

    /// Notifies the clients that these events concern.
    func notify(_ events: [Event]) {
        let last = events.last?.sequence ?? 0
        let (woken, late) = polls.withLock { polls in
            let woken = polls.concerned(by: events)
            polls.remove(woken)
            // After the others, since these clients know some of the events.
            return (woken, responses(toReached: polls.advance(to: last), &polls))
        }
        let (open, caughtUp) = streams.withLock { streams in
            let open = streams.concerned(by: events)
            let caughtUp = streams.advance(to: last)
            for (ticket, client) in caughtUp { streams.insert(ticket, client.group, knowing: client.cursor) }
            return (open, caughtUp)
        }
        let groups = Array(woken.values) + Array(open.values)
        let spread = PushSpread(over: groups.reduce(late.count + caughtUp.count) { $0 + $1.tickets.count })
        for (ticket, response) in late { ticket.lot.respond([ticket.number], with: response.with(spread).prepared) }
        for (interest, members) in woken {
            let response = respond(.init(events, concerning: interest), to: interest).with(spread)
            members.tickets.respond(with: response.prepared)
        }
        for (interest, members) in open { send(.init(events, concerning: interest), spread, to: members.tickets) }
        for (ticket, client) in caughtUp {
            let own = events.filter { $0.sequence > client.cursor.sequence }
            send(.init(own, concerning: client.group.interest), spread, to: TicketGroup([ticket]))
        }
    }

    /// Lets the clients wait whose last events are notified now, and returns the responses to those with further news.
    private func responses(
        toReached reached: [WaitTicket: PushWaiters.Ahead], _ polls: inout PushWaiters
    ) -> [(WaitTicket, PushResponse)] {
        reached.compactMap { ticket, client in
            let response = respond(client.group.interest, since: client.cursor)
            guard response.isNothing else { return (ticket, response) }
            polls.insert(ticket, client.group, knowing: client.cursor)
            return nil
        }
    }

    /// Notifies all clients to read `/config` again, because the store has lost events that some of them know.
    func refresh() {
        let sequence = app.log.sequence
        let (polls, aheadPolls) = polls.withLock { $0.removeAll(notified: sequence) }
        let (streams, aheadStreams) = streams.withLock { streams in
            let all = streams.removeAll(notified: sequence)
            streams = PushWaiters(notified: sequence, all.groups)
            for (ticket, client) in all.ahead { streams.insert(ticket, client.group, knowing: app.log.cursor) }
            return all
        }
        let waiting = (Array(polls.values) + Array(streams.values)).reduce(0) { $0 + $1.tickets.count }
        let spread = PushSpread(over: waiting + aheadPolls.count + aheadStreams.count)
        for (interest, members) in polls {
            members.group.end()
            members.tickets.respond(with: respond(.refresh, to: interest).with(spread).prepared)
        }
        for members in streams.values { send(.refresh, spread, to: members.tickets) }
        refresh(polls: aheadPolls, streams: aheadStreams, spread)
    }

    /// Notifies the clients to read `/config` again whose last event the store turned out to have lost.
    func refreshLost() {
        let lostPolls = polls.withLock { $0.removeLost(app) }
        let lostStreams = streams.withLock { streams in
            let lost = streams.removeLost(app)
            for (ticket, client) in lost { streams.insert(ticket, client.group, knowing: app.log.cursor) }
            return lost
        }
        refresh(polls: lostPolls, streams: lostStreams, PushSpread(over: lostPolls.count + lostStreams.count))
    }

    private func refresh(
        polls: [WaitTicket: PushWaiters.Ahead], streams: [WaitTicket: PushWaiters.Ahead], _ spread: PushSpread
    ) {
        for (ticket, client) in polls {
            ticket.lot.respond(
                [ticket.number], with: respond(.refresh, to: client.group.interest).with(spread).prepared)
        }
        if !streams.isEmpty { send(.refresh, spread, to: TicketGroup(streams.keys)) }
    }

    private func send(_ content: PushResponse.Content, _ spread: PushSpread, to group: TicketGroup) {
        if case .nothing = content { return }
        group.send(EventText.piece(of: content, at: app.log.cursor, spread))
    }

    private func response(
        _ content: PushResponse.Content, at cursor: Cursor, to interest: PushInterest
    ) -> PushResponse {
        PushResponse(content, cursor: cursor, pollAfter: pollAfter(interest))
    }
}

extension PushResponse.Content {
    /// The events of these that concern a client.
    fileprivate init(_ events: [Event], concerning interest: PushInterest) {
        self.init(EventLog.News(events.filter { $0.concerns(interest) }))
    }
}
