import Domain
import HTTP
import Platform
import Synchronization

/// The endpoint `GET /push`, which reports the changes since a cursor at once or as they happen (semantics.md §5).
///
/// A client that accepts `text/event-stream` gets an event stream, any other one a response for each wait.
final class PushEndpoint: ChangeObserver {
    /// The default and the longest wait of a request, in seconds.
    static let defaultWait = 45
    static let maximumWait = 55
    /// The number of packages that one request may follow by name; a client with more follows all.
    static let maximumPackages = 20

    private let services: Services
    private let admission: PushAdmission
    private let clients = Mutex<[AppID: PushClients]>([:])

    init(services: Services, maxConnections: Int) {
        self.services = services
        admission = PushAdmission(capacity: PushAdmission.capacity(ofConnections: maxConnections), log: services.log)
        services.live.observe(self)
    }

    func eventsAppended(_ events: [Event], to app: LiveApp) {
        clients(of: app).notify(events)
    }

    func eventsReplaced(in app: LiveApp) {
        clients(of: app).refresh()
    }

    func storeRead(of app: LiveApp) {
        clients(of: app).refreshLost()
    }

    /// Decides a request; throws `appNotFound`, `channelNotFound`, `invalidRequest`, `busy`.
    func respond(_ head: RequestHead, _ base: ClientBase) throws(PlatformError) -> Disposition {
        let app = try services.live.requireApp(at: base)
        let query = head.query
        let packages = try Self.packages(query["packages"])
        let interest = PushInterest(channel: base.channel, packages: packages)
        let clients = clients(of: app)
        if head.acceptsEventStream { return .respond(try stream(to: head, interest, among: clients, of: app)) }
        let wait = try Self.wait(query["wait"])
        guard let text = query["cursor"] else { return .respond(clients.respond(.start, to: interest).response) }
        guard let cursor = Cursor(text).map(clients.shared) else {
            return .respond(clients.respond(.refresh, to: interest).response)
        }
        if wait == 0 || !clients.isAhead(cursor) {
            let response = clients.respond(interest, since: cursor)
            guard response.isNothing, wait > 0 else { return .respond(response.response) }
        }
        let client = PushClient(
            .poll, of: device(of: head, in: app), following: interest, since: cursor, among: clients)
        try admission.admit(client)
        return .wait(client, upTo: .seconds(wait))
    }

    /// Returns an event stream from the client's last event on; without one, from now on.
    private func stream(
        to head: RequestHead, _ interest: PushInterest, among clients: PushClients, of app: LiveApp
    ) throws(PlatformError) -> Response {
        let text = head[.lastEventID] ?? head.query["cursor"]
        // A cursor of no epoch cannot be resolved.
        let cursor = text.map { Cursor($0).map(clients.shared) ?? Cursor(epoch: "", sequence: 0) }
        let client = PushClient(
            .stream, of: device(of: head, in: app), following: interest, since: cursor, among: clients)
        try admission.admit(client)
        var fields = EventText.fields
        fields[.larderPollAfter] = String(clients.pollAfter(interest))
        CORS.add(to: &fields)
        return Response(.ok, fields: fields, body: .feed(client))
    }

    /// Returns the device whose wait begins; a `HEAD` request begins none.
    private func device(of head: RequestHead, in app: LiveApp) -> DeviceKey? {
        guard head.method != .head, let id = head.query["deviceId"] else { return nil }
        return services.deviceIDs.identity(of: id, in: app.id)?.key
    }

    private func clients(of app: LiveApp) -> PushClients {
        clients.withLock { clients in
            if let known = clients[app.id] { return known }
            let made = PushClients(
                app: app, isShared: services.nodes != nil, admission: admission, clock: services.clock)
            clients[app.id] = made
            return made
        }
    }

    private static func packages(_ text: String?) throws(PlatformError) -> Set<PackageID>? {
        guard let text, !text.isEmpty else { return nil }
        let names = text.split(separator: ",")
        guard names.count <= maximumPackages else {
            throw PlatformError(
                .invalidRequest,
                "'packages' can name at most \(maximumPackages) packages. Leave it out to follow all packages."
            )
        }
        var packages: Set<PackageID> = []
        for name in names {
            guard let id = PackageID(String(name)) else {
                throw PlatformError(
                    .invalidRequest, "'packages' contains '\(name)', which is not a package id: \(PackageID.shape).")
            }
            packages.insert(id)
        }
        return packages
    }

    private static func wait(_ text: String?) throws(PlatformError) -> Int {
        guard let text else { return defaultWait }
        guard let seconds = Int(text), seconds >= 0 else {
            throw PlatformError(.invalidRequest, "'wait' must be a whole number of seconds from 0 to \(maximumWait).")
        }
        return min(seconds, maximumWait)
    }
}

extension RequestHead {
    /// Whether the client can read an event stream.
    fileprivate var acceptsEventStream: Bool { (self["Accept"] ?? "").lowercased().contains("text/event-stream") }
}
