import Domain
import HTTP
import Platform
import Synchronization

/// The clients of one app that wait for something to change.
///
/// Whoever waits has seen everything that concerns it. So one event has one answer for all who follow the same
/// packages of a channel, made once.
final class PushRoom: Sendable {
    /// What a waiting client follows.
    struct Interest: Hashable, Sendable {
        let channel: ChannelName
        /// `nil`: all.
        let packages: Set<PackageID>?

        /// All packages of the channel.
        var widened: Interest { Interest(channel: channel, packages: nil) }
    }

    /// Clients that may wait at a time; one more is told at once that nothing changed.
    static let capacity = 200_000
    /// Different sets of packages that are waited for by name; who brings one more waits for all of the channel, and is
    /// woken more often than it asked.
    static let maximumInterests = 4096

    private struct State {
        var waiting: [Interest: Set<WaitTicket>] = [:]
        var count = 0
    }

    private let app: LiveApp
    private let state = Mutex(State())

    init(app: LiveApp) {
        self.app = app
    }

    /// Waits, unless there is news already or no room is left.
    func enter(_ ticket: WaitTicket, _ interest: Interest, since cursor: Cursor) -> PushAnswer? {
        // Events are appended before `wake` takes this lock: either the news is seen here or the ticket there.
        state.withLock { state in
            let answer = app.log.answer(interest, since: cursor)
            guard case .nothing = answer.content, state.count < Self.capacity else { return answer }
            let isWide = state.waiting[interest] == nil && state.waiting.count >= Self.maximumInterests
            state.waiting[isWide ? interest.widened : interest, default: []].insert(ticket)
            state.count += 1
            return nil
        }
    }

    func leave(_ ticket: WaitTicket, _ interest: Interest) {
        state.withLock { state in
            for interest in [interest, interest.widened] where state.waiting[interest]?.remove(ticket) != nil {
                state.count -= 1
                if state.waiting[interest]?.isEmpty ?? false { state.waiting[interest] = nil }
                return
            }
        }
    }

    /// Answers everyone whom these events concern.
    func wake(_ events: [Event]) {
        let woken = state.withLock { state in
            let interests = state.waiting.keys.filter { interest in
                events.contains { $0.concerns(channel: interest.channel, packages: interest.packages) }
            }
            return interests.map { interest in
                let tickets = state.waiting.removeValue(forKey: interest) ?? []
                state.count -= tickets.count
                return (interest, tickets)
            }
        }
        let cursor = app.log.cursor
        for (interest, tickets) in woken {
            let own = events.filter { $0.concerns(channel: interest.channel, packages: interest.packages) }
            let answer = PushAnswer(news: EventLog.News(own), cursor: cursor).prepared
            for sameLot in Dictionary(grouping: tickets, by: { ObjectIdentifier($0.lot) }).values {
                sameLot.first?.lot.answer(sameLot.map(\.number), with: answer)
            }
        }
    }

    /// What a client is told when its wait is over.
    ///
    /// News may have come at that very moment, and its own answer too late: a cursor past them would hide them.
    func end(_ interest: Interest, since cursor: Cursor) -> PushAnswer { app.log.answer(interest, since: cursor) }
}

extension EventLog {
    /// What a client at a cursor is told now.
    func answer(_ interest: PushRoom.Interest, since cursor: Cursor) -> PushAnswer {
        PushAnswer(
            news: news(since: cursor, channel: interest.channel, packages: interest.packages), cursor: self.cursor)
    }
}
