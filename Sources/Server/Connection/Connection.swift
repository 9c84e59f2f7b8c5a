import HTTP
import TLS

/// One peer's connection: a small state machine that its loop drives, on the loop's thread alone.
///
/// It holds no buffer while it is idle or parked: what a request needs beyond these fields is in its ``Exchange``.
///
/// `@unchecked Sendable`: tasks carry a reference to it, but touch it on the loop's thread only.
final class Connection: @unchecked Sendable {
    enum Phase: UInt8 {
        /// Between requests or in a request's head.
        case reading
        /// In a request's body that nobody wants.
        case skipping
        /// Parked.
        case waiting
        /// A task makes the answer.
        case handling
        /// The last answer is on its way.
        case closing
        /// All is sent; what the peer still sends is thrown away until it closes.
        case lingering
        case closed
    }

    struct Flags: OptionSet {
        let rawValue: UInt8

        /// The socket may have something to read.
        static let readable = Flags(rawValue: 1 << 0)
        /// The peer sends no more than what may be left to read.
        static let peerFinished = Flags(rawValue: 1 << 1)
        /// The kernel takes no more for now; nothing goes on until it does.
        static let blocked = Flags(rawValue: 1 << 2)
        /// The connection ends with the answer to the request under way.
        static let closes = Flags(rawValue: 1 << 3)
        /// The request under way is a `HEAD`.
        static let withoutBody = Flags(rawValue: 1 << 4)
        /// The request under way is of HTTP/1.0.
        static let isOld = Flags(rawValue: 1 << 5)
        /// Blocked only to let other connections have their turn.
        static let yielded = Flags(rawValue: 1 << 6)
        /// The loop goes on with the connection in its next turn.
        static let queued = Flags(rawValue: 1 << 7)
    }

    let loop: EventLoop
    let slot: Int
    let generation: UInt32
    var socket: Socket
    var phase = Phase.reading
    var flags: Flags = []
    /// Bytes of bodies that are still thrown away before the connection is given up.
    var skippable: Int32 = 0
    var waiting: (any Waiting)?
    var waitNumber: UInt64 = 0
    var exchange: Exchange?
    var deadline = ConnectionDeadline()
    /// The TLS between the socket and all else; `nil` where bytes go as they are.
    let tls: ConnectionTLS?
    let peer: PeerAddress
    /// The request that is being answered, or the last one that was.
    var note = RequestNote(started: .distantFuture)
    /// How many requests have begun.
    var requests = 0
    /// How many had when it was last begun to wait for another.
    var requestsAwaited = -1
    /// The moment from which the server has waited for a request, or for news on `/push`.
    var idleSince = Instant.distantFuture
    /// What is left of the bytes that the connection may send in the turn with this number.
    var turnRoom = (turn: UInt32.max, bytes: 0)

    init(
        loop: EventLoop, socket: consuming Socket, slot: Int, generation: UInt32, peer: PeerAddress,
        session: TLSSession?
    ) {
        self.peer = peer
        tls = session.map(ConnectionTLS.init)
        self.loop = loop
        self.socket = socket
        self.slot = slot
        self.generation = generation
    }

    /// Registers for events, once and for all.
    func open() {
        let token = UInt64(generation) << 32 | UInt64(slot)
        let isAdded = loop.epoll.add(
            socket.number, [.readable, .writable, .peerFinished, .onChange], token: token)
        guard isAdded else { return close() }
        let deadlines = loop.settings.deadlines
        idleSince = loop.now
        expectInput(within: tls == nil ? deadlines.keepAlive : deadlines.handshake)
    }

    /// Whether no byte of a request has come yet.
    var isNew: Bool { requests == 0 && exchange?.partial == nil }

    /// Whether the peer and the server have agreed how to talk.
    var isEstablished: Bool { tls?.session.isEstablished ?? true }

    func ensureExchange() -> Exchange {
        if let exchange { return exchange }
        let made = Exchange()
        exchange = made
        return made
    }
}

extension Connection {
    /// Takes note of what epoll tells, and goes on.
    @inline(__always)
    func receive(_ events: Epoll.Events) {
        if !events.isDisjoint(with: [.readable, .peerFinished, .hungUp, .failed]) { flags.insert(.readable) }
        if !events.isDisjoint(with: [.peerFinished, .hungUp, .failed]) { flags.insert(.peerFinished) }
        if flags.contains(.blocked) {
            guard events.contains(.writable) || events.contains(.failed), unblock() else { return }
        }
        advance()
    }

    /// Goes on in the next turn, after the others had theirs: once, however often it is asked for.
    func goOnLater() {
        guard !flags.contains(.queued) else { return }
        flags.insert(.queued)
        loop.unfinished.append(slot)
    }

    /// The turn for that has come.
    func goOnNow() {
        flags.remove(.queued)
        advance()
    }

    /// Goes on with whatever can be gone on with.
    func advance() {
        if flags.contains(.yielded), !unblock() { return }
        guard !flags.contains(.blocked) else { return }
        switch phase {
        case .reading, .skipping: readRequests()
        case .waiting: if flags.contains(.peerFinished) || loop.drainEnd != nil { leaveWait() }
        case .handling: exchange?.reader?.pump()
        case .closing: finishSending()
        case .lingering: readLeftovers()
        case .closed: break
        }
    }

    /// The server drains: what is idle ends, what waits is answered, the rest ends with its answer.
    func drain() {
        switch phase {
        case .reading where isNew:
            requestsAwaited = -1
            awaitInput()
        case .reading where !flags.contains(.blocked) && exchange == nil: endIdle()
        case .waiting: expireWait()
        case .handling: flags.insert(.closes)
        case .lingering: linger()
        case .reading, .skipping, .closing, .closed: break
        }
    }

    /// Closes, unless a request is there that was not read yet: closing on it would reset the connection.
    private func endIdle() {
        guard socket.hasInput else { return end() }
        flags.insert(.readable)
        advance()
    }

    /// Ends a connection that has nothing under way.
    ///
    /// What the kernel seals may have been taken and not be sealed yet: to close at once would lose it. A peer that asked for
    /// new keys has not ended: to close on what it sends would reset the connection.
    func end() {
        let isEnding = phase == .reading || phase == .skipping
        guard isEnding, isKernelInFlight || tls?.session.isOutOfKeys ?? false else { return close() }
        finishSending()
    }

    /// Ends the connection at once, and whatever waits on it.
    func close(_ reason: BodyError = .disconnected) {
        guard phase != .closed else { return }
        concludeBroken()
        if phase == .waiting { loop.waiting -= 1 }
        // What breaks off must not look like an end.
        if phase == .reading, let tls, exchange?.outbox.isEmpty ?? true { _ = finishSealed(tls) }
        phase = .closed
        tls?.session.leaveSocket()
        socket.close()
        loop.forget(slot, from: peer)
        let exchange = exchange
        self.exchange = nil
        exchange?.reader?.fail(reason)
        exchange?.writer?.fail(reason)
        waiting?.cancel()
        waiting = nil
    }

    /// Has everything been sent, tells the peer so and waits for it to close.
    ///
    /// Closing with unread bytes would reset the connection, and the peer could lose the answer.
    func finishSending() {
        phase = .closing
        if let tls, !finishSealed(tls) {
            _ = block()
            return
        }
        exchange = nil
        // Where the kernel seals, `close_notify` alone is the end: what waits to be sealed is not to be lost with it.
        if case .kernel = outlet {} else { socket.finishSending() }
        phase = .lingering
        linger()
    }

    /// Gives the peer the time that it has for its own close, from now on.
    func linger() {
        expectLeave()
        readLeftovers()
    }
}
