import Domain
import HTTP
import Synchronization

/// One waiting `/push` request.
final class PushWait: Waiting {
    private let room: PushRoom
    private let interest: PushRoom.Interest
    private let cursor: Cursor
    private let ticket = Mutex<WaitTicket?>(nil)

    init(room: PushRoom, interest: PushRoom.Interest, cursor: Cursor) {
        self.room = room
        self.interest = interest
        self.cursor = cursor
    }

    func begin(_ ticket: WaitTicket) -> Response? {
        self.ticket.withLock { $0 = ticket }
        return room.enter(ticket, interest, since: cursor)?.response
    }

    func expire() -> Response {
        cancel()
        return room.end(interest, since: cursor).response
    }

    func cancel() {
        guard let ticket = ticket.withLock({ $0.take() }) else { return }
        room.leave(ticket, interest)
    }
}
