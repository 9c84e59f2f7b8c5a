import Domain
import HTTP
import Platform
import Synchronization

/// The endpoint `GET /push`, which reports the changes since a cursor at once or as they happen (semantics.md §5).
final class PushEndpoint: ChangeObserver {
    /// The default and the longest wait of a request, in seconds.
    static let defaultWait = 45
    static let maximumWait = 55
    /// The number of packages that one request may follow by name; a client with more follows all.
    static let maximumPackages = 20

    private let live: LiveApps
    /// Whether other nodes notify the same clients: a cursor may then be ahead of the events that this one knows.
    private let isShared: Bool
    private let rooms = Mutex<[AppID: PushRoom]>([:])

    init(live: LiveApps, isShared: Bool) {
        self.live = live
        self.isShared = isShared
        live.observe(self)
    }

    func eventsAppended(_ events: [Event], to app: LiveApp) {
        room(of: app).wake(events)
    }

    /// Decides a request; throws `appNotFound`, `channelNotFound`, `invalidRequest`.
    func respond(_ head: RequestHead, _ base: ClientBase) throws(PlatformError) -> Disposition {
        let app = try live.requireApp(at: base)
        let query = head.query
        let packages = try Self.packages(query["packages"])
        let wait = try Self.wait(query["wait"])
        let log = app.log
        guard let text = query["cursor"] else {
            return .respond(PushResponse(.start, cursor: log.cursor).response)
        }
        guard let cursor = Cursor(text) else {
            return .respond(PushResponse(.refresh, cursor: log.cursor).response)
        }
        let interest = PushRoom.Interest(channel: base.channel, packages: packages)
        if wait == 0 || !isShared || !log.isBehind(cursor) {
            let news = log.respond(interest, since: cursor)
            guard case .nothing = news.content, wait > 0 else { return .respond(news.response) }
        }
        return .wait(PushWait(room: room(of: app), interest: interest, cursor: cursor), upTo: .seconds(wait))
    }

    private func room(of app: LiveApp) -> PushRoom {
        rooms.withLock { rooms in
            if let room = rooms[app.id] { return room }
            let room = PushRoom(app: app, isShared: isShared)
            rooms[app.id] = room
            return room
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
