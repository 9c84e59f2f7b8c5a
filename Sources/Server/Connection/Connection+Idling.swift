import HTTP

/// The kinds of idle connections, in the order in which they are closed to make room for others.
enum Idleness: CaseIterable, Sendable {
    /// The peer has no request under way, or has not sent all of one's head.
    case withoutRequest
    /// The peer waits on `/push`.
    case polling
    /// Like ``withoutRequest``, for less than ``Deadlines/idleGrace``: the peer may be about to send its request.
    case recent
}

extension Connection {
    /// How the connection is idle; `nil` while a response is made or sent, a body is read, or the peer is to close.
    var idleness: Idleness? {
        guard flags.isDisjoint(with: [.blocked, .queued]) else { return nil }
        return switch phase {
        case .reading: loop.now - idleSince < loop.settings.deadlines.idleGrace ? .recent : .withoutRequest
        case .waiting: .polling
        case .skipping, .handling, .closing, .lingering, .closed: nil
        }
    }

    /// Closes an idle connection to make room for another; whether it is closed.
    ///
    /// A request that has come and was not read yet is answered instead. A peer that waits on `/push` is answered as at the
    /// end of its wait, and asks again on another connection.
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
        // The peer need not close first: it may never do so.
        if phase != .closed { close() }
        return true
    }
}
