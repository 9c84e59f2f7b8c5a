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
    }

    let content: Content
    let cursor: Cursor

    init(_ content: Content, cursor: Cursor) {
        self.content = content
        self.cursor = cursor
    }

    init(news: EventLog.News, cursor: Cursor) {
        switch news {
        case .nothing: self.init(.nothing, cursor: cursor)
        case .events(let events): self.init(.events(events), cursor: cursor)
        case .refresh: self.init(.refresh, cursor: cursor)
        }
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
        var fields: Fields = [.cacheControl: "no-store", .larderCursor: cursor.description]
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
        return .object(["cursor": .string(cursor.description), "events": .array(events)])
    }

    private static func json(_ event: Event) -> JSON {
        let time: JSON = .string(event.time.rfc3339)
        func release(_ type: JSON, _ package: PackageID, _ channel: ChannelName, _ version: VersionString) -> JSON {
            .object([
                "type": type, "package": .string(package.text), "channel": .string(channel.text),
                "version": .string(version.text), "time": time,
            ])
        }
        switch event.subject {
        case .packageChanged(let package):
            return .object(["type": "package", "package": .string(package.text), "time": time])
        case .scheduled(let package, let channel, let version): return release("scheduled", package, channel, version)
        case .activated(let package, let channel, let version): return release("activated", package, channel, version)
        case .changed(let package, let channel, let version): return release("changed", package, channel, version)
        case .audiencesChanged: return .object(["type": "audiences", "time": time])
        case .keysChanged: return .object(["type": "keys", "time": time])
        }
    }
}
