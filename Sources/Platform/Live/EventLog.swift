package import Domain

/// The last events of an app, in memory: what a waiting client that comes back is told (semantics.md §5).
package struct EventLog: Sendable {
    /// Events that are kept; a cursor from before the oldest gets a full refresh.
    package static let capacity = 1024
    /// The events that one response names; a client that missed more reads `/config` anew.
    package static let mostNamed = 32

    package let epoch: String
    package private(set) var events: [Event]
    package private(set) var sequence: Int64

    /// - Parameter sequence: Of the app's last event, also where `events` is empty.
    package init(epoch: String, events: [Event], sequence: Int64) {
        self.epoch = epoch
        self.events = Array(events.suffix(Self.capacity))
        self.sequence = sequence
    }

    package var cursor: Cursor { Cursor(epoch: epoch, sequence: sequence) }

    /// What a client at a cursor has missed.
    package enum News: Sendable, Equatable {
        case nothing
        case events([Event])
        /// The cursor cannot be placed (too old, from the future, or of another epoch), or too much has happened since.
        case refresh

        /// The news that these events are for a client that they all concern.
        package init(_ events: [Event]) {
            self = events.isEmpty ? .nothing : events.count > EventLog.mostNamed ? .refresh : .events(events)
        }
    }

    package func news(since cursor: Cursor, channel: ChannelName, packages: Set<PackageID>?) -> News {
        guard cursor.epoch == epoch, cursor.sequence <= sequence else { return .refresh }
        guard cursor.sequence < sequence else { return .nothing }
        guard let oldest = events.first, oldest.sequence <= cursor.sequence + 1 else { return .refresh }
        // Newest first, so that no more is looked at than is needed.
        var missed: [Event] = []
        for event in events.reversed() {
            guard event.sequence > cursor.sequence, missed.count <= Self.mostNamed else { break }
            if event.concerns(channel: channel, packages: packages) { missed.append(event) }
        }
        return News(missed.reversed())
    }

    /// Appends events that follow the last one.
    package mutating func append(_ new: [Event]) {
        events += new.filter { $0.sequence > sequence }
        sequence = max(sequence, new.map(\.sequence).max() ?? 0)
        if events.count > Self.capacity { events.removeFirst(events.count - Self.capacity) }
    }
}
