package import Domain

/// The most recent events of an app, in memory, for clients that return with a cursor (semantics.md §5).
package struct EventLog: Sendable {
    /// The number of kept events; a client with an older cursor must fetch `/config` again.
    package static let capacity = 1024
    /// The number of events that one response names; a client that missed more must fetch `/config` again.
    package static let mostNamed = 32

    package let epoch: String
    package private(set) var events: [Event]
    package private(set) var sequence: Int64

    /// - Parameter sequence: The sequence of the app's last event, even if `events` is empty.
    package init(epoch: String, events: [Event], sequence: Int64) {
        self.epoch = epoch
        self.events = Array(events.suffix(Self.capacity))
        self.sequence = sequence
    }

    package var cursor: Cursor { Cursor(epoch: epoch, sequence: sequence) }

    /// The events that a client at a cursor has missed.
    package enum News: Sendable, Equatable {
        case nothing
        case events([Event])
        /// The cursor is unknown (too old, from the future, or of another epoch), or too many events have followed it.
        case refresh

        /// Creates the news of events that all concern the client.
        package init(_ events: [Event]) {
            self = events.isEmpty ? .nothing : events.count > EventLog.mostNamed ? .refresh : .events(events)
        }
    }

    /// Whether a cursor names a later event than the last one.
    ///
    /// Another node has responded with it, or the store has lost events.
    package func isBehind(_ cursor: Cursor) -> Bool { cursor.epoch == epoch && cursor.sequence > sequence }

    package func news(since cursor: Cursor, channel: ChannelName, packages: Set<PackageID>?) -> News {
        guard cursor.epoch == epoch, cursor.sequence <= sequence else { return .refresh }
        guard cursor.sequence < sequence else { return .nothing }
        guard let oldest = events.first, oldest.sequence <= cursor.sequence + 1 else { return .refresh }
        // Searches from the newest event, so that few events are checked.
        var missed: [Event] = []
        for event in events.reversed() {
            guard event.sequence > cursor.sequence, missed.count <= Self.mostNamed else { break }
            if event.concerns(channel: channel, packages: packages) { missed.append(event) }
        }
        return News(missed.reversed())
    }

    /// Appends the events that follow the last one.
    package mutating func append(_ new: [Event]) {
        events += new.filter { $0.sequence > sequence }
        sequence = max(sequence, new.map(\.sequence).max() ?? 0)
        if events.count > Self.capacity { events.removeFirst(events.count - Self.capacity) }
    }
}
