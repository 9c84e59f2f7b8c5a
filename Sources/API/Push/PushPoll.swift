import Domain
import HTTP
import Synchronization

/// One waiting `/push` request.
final class PushPoll: Waiting {
    private let clients: PushClients
    private let interest: PushInterest
    private let cursor: Cursor
    private let wait: Mutex<PushWait>

    init(clients: PushClients, interest: PushInterest, cursor: Cursor, permit: consuming PushPermit) {
        self.clients = clients
        self.interest = interest
        self.cursor = cursor
        wait = Mutex(PushWait(permit))
    }

    func begin(_ ticket: WaitTicket) -> Response? {
        if let refusal = wait.withLock({ $0.begin(ticket) }) { return refusal }
        return clients.park(ticket, interest, since: cursor)?.response
    }

    /// The response includes events that arrive at that very moment: a cursor past them without the events would hide
    /// them.
    func expire() -> Response { clients.respond(interest, since: cursor).response }

    func didEnd() {
        if let ticket = wait.withLock({ $0.end() }) { clients.leavePoll(ticket, interest) }
    }
}
