import Domain
import HTTP
import Synchronization

/// One client's event stream on `/push`.
final class PushStream: Feed {
    private let clients: PushClients
    private let interest: PushInterest
    private let cursor: Cursor?
    private let wait: Mutex<PushWait>

    init(clients: PushClients, interest: PushInterest, cursor: Cursor?, permit: consuming PushPermit) {
        self.clients = clients
        self.interest = interest
        self.cursor = cursor
        wait = Mutex(PushWait(permit))
    }

    var interval: Duration { EventText.heartbeatInterval }
    var heartbeat: [UInt8] { EventText.comment }

    func begin(_ ticket: WaitTicket) -> [UInt8] {
        if wait.withLock({ $0.begin(ticket) }) != nil {
            ticket.lot.finish([ticket.number])
            return []
        }
        return clients.open(ticket, interest, since: cursor)
    }

    func didEnd() {
        if let ticket = wait.withLock({ $0.end() }) { clients.leaveStream(ticket, interest) }
    }
}
