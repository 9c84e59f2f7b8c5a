import HTTP

/// The kinds of idle connections, in the order in which they are evicted.
enum Idleness: CaseIterable, Sendable {
    /// The peer has no request in progress, or has sent only part of a head.
    case withoutRequest
    /// The peer waits on `/push`.
    case polling
    /// Like ``withoutRequest``, for less than ``Deadlines/idleGrace``: the peer may be about to send its request.
    case recent
}

extension Connection {
    /// The way in which the connection is idle; `nil` while it makes or sends a response, reads a body, or waits for
    /// the close.
    var idleness: Idleness? {
        guard flags.isDisjoint(with: [.blocked, .queued]) else { return nil }
        return switch phase {
        case .reading: loop.now - idleSince < loop.settings.deadlines.idleGrace ? .recent : .withoutRequest
        case .waiting: .polling
        case .skipping, .handling, .closing, .lingering, .closed: nil
        }
    }

    /// Closes an idle connection to make room for another one; returns whether it is closed.
    ///
    /// If a request has arrived unread, it gets its response instead. A poll on `/push` gets the response of its
    /// timeout; the client then polls again on another connection.
    func giveWay() -> Bool {
        switch idleness {
        case .withoutRequest, .recent:
            guard !socket.hasInput else {
                flags.insert(.readable)
                goOnLater()
                return false
            }
            end()
        case .polling:
            flags.insert(.closes)
            expireWait()
        case nil:
            return false
        }
        // Closes without waiting for the peer, which may never close.
        if phase != .closed { close() }
        return true
    }
}
