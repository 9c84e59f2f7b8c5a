import Domain
import Ground
import HTTP
import Platform
import Synchronization

/// The route of an app's changes as an event stream: each audit entry of the app, as it is written.
struct EventRoute {
    let routes: OperatorRoutes

    func add(to router: inout OperatorRouter) {
        let (follower, routes) = (routes.services.auditFollower, routes)
        routes.add(.get, "/apps/{app}/events", .viewer, to: &router, parameters: ["after"]) {
            call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let head = call.request.head
            var last: Int64?
            if let text = head[.lastEventID] ?? head.query["after"] {
                guard let id = Int64(text), id >= 0 else {
                    throw PlatformError(
                        .invalidRequest, "'Last-Event-ID' and 'after' must be the id of an audit entry.")
                }
                last = id
            }
            let subscription = try await follower.subscribe(call.author, to: app.id, after: last)
            return Response(.ok, fields: EventText.fields, body: .feed(AuditStream(subscription)))
        }
    }
}

/// One operator's event stream.
private final class AuditStream: Feed, AuditSubscriber {
    private struct State: ~Copyable {
        var subscription: AuditSubscription?
        var ticket: WaitTicket?
    }

    private let start: Int64
    private let state: Mutex<State>

    init(_ subscription: consuming AuditSubscription) {
        start = subscription.start
        state = Mutex(State(subscription: consume subscription))
    }

    var interval: Duration { EventText.heartbeatInterval }
    var heartbeat: [UInt8] { EventText.comment }

    func begin(_ ticket: WaitTicket) -> [UInt8] {
        let hasBegun = state.withLock { state in
            state.ticket = ticket
            return state.subscription?.begin(self) ?? false
        }
        if !hasBegun { disconnect() }
        return EventText.beginning + EventText.event(nil, id: String(start), data: nil)
    }

    func didSend() {
        state.withLock { $0.subscription?.didReceive() }
    }

    func didEnd() {
        let subscription = state.withLock { state in
            state.ticket = nil
            return state.subscription.take()
        }
        _ = consume subscription
    }

    func encode(_ entries: [RecordedAuditEntry]) -> [UInt8] {
        entries.flatMap { recorded in
            EventText.event(
                recorded.entry.action, id: String(recorded.id), data: recorded.entry.json(recorded.id))
        }
    }

    func receive(_ text: [UInt8]) {
        if let ticket { ticket.lot.send(text, to: [ticket.number]) }
    }

    func disconnect() {
        if let ticket { ticket.lot.finish([ticket.number]) }
    }

    private var ticket: WaitTicket? { state.withLock { $0.ticket } }
}
