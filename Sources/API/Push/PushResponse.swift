import Domain
import Ground
import HTTP
import Platform

/// The response to a `/push` request (semantics.md §5).
struct PushResponse: Sendable {
    enum Content: Sendable {
        case nothing
        case events([Event])
        /// The client's cursor is too old or unknown: the client must fetch `/config` again.
        case refresh
        /// The request has no cursor; the response carries the current one.
        case start

        init(_ news: EventLog.News) {
            self =
                switch news {
                case .nothing: .nothing
                case .events(let events): .events(events)
                case .refresh: .refresh
                }
        }
    }

    let content: Content
    let cursor: Cursor
    /// The seconds after which a client that does not wait for events asks for `/config` again.
    let pollAfter: Int64
    private var spread = PushSpread.none

    init(_ content: Content, cursor: Cursor, pollAfter: Int64) {
        self.content = content
        self.cursor = cursor
        self.pollAfter = pollAfter
    }

    /// Whether the response has no event.
    var isNothing: Bool {
        if case .nothing = content { true } else { false }
    }

    /// Returns a copy with a spread.
    func with(_ spread: PushSpread) -> PushResponse {
        var response = self
        response.spread = spread
        return response
    }

    var response: Response {
        switch content {
        case .nothing: Response(.noContent, fields: fields)
        case .events, .refresh, .start: Response(.ok, fields: jsonFields, body: .bytes(body.bytes()))
        }
    }

    var prepared: PreparedResponse {
        switch content {
        case .nothing: PreparedResponse(.noContent, fields: fields)
        case .events, .refresh, .start: PreparedResponse(.ok, fields: jsonFields, body: body.bytes())
        }
    }

    private var fields: Fields {
        var fields: Fields = [
            .cacheControl: "no-store", .larderCursor: cursor.description, .larderPollAfter: String(pollAfter),
        ]
        CORS.add(to: &fields)
        return fields
    }

    private var jsonFields: Fields {
        var fields = fields
        fields[.contentType] = "application/json"
        return fields
    }

    private var body: JSON {
        let events: [JSON] =
            switch content {
            case .nothing, .start: []
            case .refresh: [.object(["type": "refresh"])]
            case .events(let events): events.map(Self.json)
            }
        return .object(
            [.init("cursor", .string(cursor.description)), .init("events", .array(events))] + spread.members)
    }

    static func json(_ event: Event) -> JSON {
        let time: JSON = .string(event.time.rfc3339)
        let type: JSON = .string(event.name)
        func release(_ package: PackageID, _ channel: ChannelName, _ version: VersionString) -> JSON {
            .object([
                "type": type, "package": .string(package.text), "channel": .string(channel.text),
                "version": .string(version.text), "time": time,
            ])
        }
        switch event.subject {
        case .packageChanged(let package):
            return .object(["type": type, "package": .string(package.text), "time": time])
        case .scheduled(let package, let channel, let version), .activated(let package, let channel, let version),
            .changed(let package, let channel, let version):
            return release(package, channel, version)
        case .audiencesChanged, .keysChanged: return .object(["type": type, "time": time])
        }
    }
}

extension Event {
    /// The name of the event for clients.
    var name: String {
        switch subject {
        case .packageChanged: "package"
        case .scheduled: "scheduled"
        case .activated: "activated"
        case .changed: "changed"
        case .audiencesChanged: "audiences"
        case .keysChanged: "keys"
        }
    }
}
