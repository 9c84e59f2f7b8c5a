import Domain
import Ground
import HTTP
import Synchronization

/// The text of event streams, as the HTML standard defines them.
enum EventText {
    /// A line that clients ignore.
    static let comment = Array(":\n\n".utf8)

    /// The time, in milliseconds, after which a stream without events gets a comment: proxies close silent connections
    /// after a minute.
    ///
    /// The interval differs for each comment, so that comments of many streams spread.
    private static let heartbeat = 20_000...25_000

    private static let heartbeats = Atomic<UInt32>(0)

    /// The multiples of the golden ratio, which spread evenly.
    ///
    /// Not random: each random number is a system call, and an event asks for the intervals of thousands of streams.
    static var heartbeatInterval: Duration {
        let number = heartbeats.wrappingAdd(0x9E37_79B9, ordering: .relaxed).newValue
        return .milliseconds(heartbeat.lowerBound + (Int(number) * heartbeat.count) >> 32)
    }

    /// The shortest and the longest time, in milliseconds, after which a client connects again.
    ///
    /// Each stream gets a time of its own, so that the clients of a server that ended do not return all at once.
    private static let retry = 1_000...10_000

    static var beginning: [UInt8] { Array("retry: \(Int.random(in: retry))\n\n".utf8) }

    /// The fields of the head of an event stream.
    static let fields: Fields = [
        .contentType: "text/event-stream", .cacheControl: "no-store",
        // Otherwise nginx would hold the pieces back.
        "X-Accel-Buffering": "no",
    ]

    /// Returns an event with its id and its name; an event without a name is only noted by clients.
    static func event(_ name: String?, id: String, data: JSON?) -> [UInt8] {
        var text = name.map { "event: \($0)\n" } ?? ""
        text += "id: \(id)\n"
        if let data { text += "data: \(data.text)\n" }
        return Array((text + "\n").utf8)
    }

    /// Returns the events of a response; without any, the cursor from which the client continues.
    static func piece(
        of content: PushResponse.Content, at cursor: Cursor, _ spread: PushSpread = .none
    ) -> [UInt8] {
        switch content {
        case .nothing, .start: event(nil, id: cursor.description, data: nil)
        case .refresh:
            event("refresh", id: cursor.description, data: .object([.init("type", "refresh")] + spread.members))
        case .events(let events):
            events.flatMap { one in
                let cursor = Cursor(epoch: cursor.epoch, sequence: one.sequence)
                let data = JSON.object((PushResponse.json(one).members ?? []) + spread.members)
                return event(one.name, id: cursor.description, data: data)
            }
        }
    }
}
