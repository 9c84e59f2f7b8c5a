import Domain
import HTTP
import Synchronization

/// One client that waits on `/push`, in a long poll or with an event stream.
///
/// Tens of thousands wait at a time. Besides its connection, a client costs this object, an entry of 16 bytes in the set of
/// waits by device, and an entry of 8 bytes in the set of its group.
final class PushClient: Waiting, Feed {
    enum Form: Sendable {
        case poll, stream
    }

    private struct State {
        /// The ticket, once the wait has begun.
        var ticket: WaitTicket?
        var group: PushGroup
    }

    let form: Form
    /// The device that waits; `nil` if it does not name itself.
    let device: DeviceKey?
    private let isAdmitted = Atomic<Bool>(false)
    private let clients: PushClients
    /// The last event that the client knows; `nil` if it begins now.
    private let cursor: Cursor?
    private let state: Mutex<State>

    init(
        _ form: Form, of device: DeviceKey?, following interest: PushInterest, since cursor: Cursor?,
        among clients: PushClients
    ) {
        self.form = form
        self.device = device
        self.clients = clients
        self.cursor = cursor
        state = Mutex(State(group: PushGroup(interest)))
    }

    deinit {
        // A wait that has begun has given its place back at its end.
        if ticket == nil, isAdmitted.load(ordering: .relaxed) { clients.admission.leave() }
    }

    private var ticket: WaitTicket? { state.withLock { $0.ticket } }

    private var group: PushGroup { state.withLock { $0.group } }

    /// Notes that the client has one of the places of ``PushAdmission``.
    func noteAdmission() { isAdmitted.store(true, ordering: .relaxed) }

    /// Notes the group in which the client waits.
    func join(_ group: PushGroup) { state.withLock { $0.group = group } }

    private func begin(with ticket: WaitTicket) {
        state.withLock { $0.ticket = ticket }
        clients.admission.begin(self)
    }

    /// Ends the wait because its device has begun another one.
    func end(with refusal: () -> PreparedResponse) {
        guard let ticket else { return }
        switch form {
        case .poll: ticket.lot.respond([ticket.number], with: refusal())
        case .stream: ticket.lot.finish([ticket.number])
        }
    }

    func didEnd() {
        clients.admission.end(self)
        guard let (ticket, group) = state.withLock({ state in state.ticket.map { ($0, state.group) } }) else { return }
        clients.leave(form, ticket, group)
    }

    // MARK: Long polls

    func begin(_ ticket: WaitTicket) -> Response? {
        begin(with: ticket)
        return clients.park(self, ticket, group, since: cursor)?.response
    }

    /// The response includes events that arrive at that very moment: a cursor past them without the events would hide
    /// them.
    func expire() -> Response { clients.respond(group.interest, since: cursor).response }

    // MARK: Event streams

    var interval: Duration { EventText.heartbeatInterval }
    var heartbeat: [UInt8] { EventText.comment }

    func begin(_ ticket: WaitTicket) -> [UInt8] {
        begin(with: ticket)
        return clients.open(self, ticket, group, since: cursor)
    }
}
