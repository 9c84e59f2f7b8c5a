import HTTP
import TLS

/// One peer's connection: a small state machine that its loop drives on the loop's thread.
///
/// An idle or parked connection holds no buffer: further state of a request is in its ``Exchange``.
///
/// `@unchecked Sendable`: tasks hold a reference, but use it only on the loop's thread.
final class Connection: @unchecked Sendable {
    enum Phase: UInt8 {
        /// Between requests or within a head.
        case reading
        /// Within a body that the server discards.
        case skipping
        /// Parked.
        case waiting
        /// A task makes the response.
        case handling
        /// The last response is being sent.
        case closing
        /// Everything is sent; further input is discarded until the peer closes.
        case lingering
        case closed
    }

    struct Flags: OptionSet {
        let rawValue: UInt8

        /// The socket may have input.
        static let readable = Flags(rawValue: 1 << 0)
        /// The peer has ended its stream; unread input may remain.
        static let peerFinished = Flags(rawValue: 1 << 1)
        /// The kernel takes no more output; the connection pauses until it does.
        static let blocked = Flags(rawValue: 1 << 2)
        /// The connection closes after the current response.
        static let closes = Flags(rawValue: 1 << 3)
        /// The current request is a `HEAD`.
        static let withoutBody = Flags(rawValue: 1 << 4)
        /// The current request is of HTTP/1.0.
        static let isOld = Flags(rawValue: 1 << 5)
        /// Blocked only to let the loop serve other connections.
        static let yielded = Flags(rawValue: 1 << 6)
        /// The loop continues with the connection in its next iteration.
        static let queued = Flags(rawValue: 1 << 7)
    }

    let loop: EventLoop
    let slot: Int
    let generation: UInt32
    var socket: Socket
    var phase = Phase.reading
    var flags: Flags = []
    /// The number of body bytes that may still be discarded before the connection is closed.
    var skippable: Int32 = 0
    var waiting: (any Waiting)?
    var waitNumber: UInt64 = 0
    var exchange: Exchange?
    var deadline = ConnectionDeadline()
    /// The TLS state; `nil` for a plain connection.
    let tls: ConnectionTLS?
    let peer: PeerAddress
    /// The record of the current or the last request.
    var note = RequestNote(started: .distantFuture)
    /// The number of requests that have begun.
    var requests = 0
    /// The value of ``requests`` when the last wait for a request began.
    var requestsAwaited = -1
    /// The instant since which the server waits for a request, or for news on `/push`.
    var idleSince = Instant.distantFuture
    /// The remaining bytes that the connection may send, and the number of the loop's iteration that they belong to.
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

    /// Registers for all events, once.
    func open() {
        let token = UInt64(generation) << 32 | UInt64(slot)
        let isAdded = loop.epoll.add(
            socket.number, [.readable, .writable, .peerFinished, .onChange], token: token)
        guard isAdded else { return close() }
        let deadlines = loop.settings.deadlines
        idleSince = loop.now
        expectInput(within: tls == nil ? deadlines.keepAlive : deadlines.handshake)
    }

    /// Whether no byte of a request has arrived.
    var isNew: Bool { requests == 0 && exchange?.partial == nil }

    /// Whether the TLS handshake is done, if there is one.
    var isEstablished: Bool { tls?.session.isEstablished ?? true }

    func ensureExchange() -> Exchange {
        if let exchange { return exchange }
        let made = Exchange()
        exchange = made
        return made
    }
}

extension Connection {
    /// Records the events of epoll and continues.
    @inline(__always)
    func receive(_ events: Epoll.Events) {
        if !events.isDisjoint(with: [.readable, .peerFinished, .hungUp, .failed]) { flags.insert(.readable) }
        if !events.isDisjoint(with: [.peerFinished, .hungUp, .failed]) { flags.insert(.peerFinished) }
        if flags.contains(.blocked) {
            guard events.contains(.writable) || events.contains(.failed), unblock() else { return }
        }
        advance()
    }

    /// Continues in the loop's next iteration, after other connections; further calls before then have no effect.
    func goOnLater() {
        guard !flags.contains(.queued) else { return }
        flags.insert(.queued)
        loop.unfinished.append(slot)
    }

    /// Continues in the iteration that ``goOnLater()`` asked for.
    func goOnNow() {
        flags.remove(.queued)
        advance()
    }

    /// Continues with any work that is possible in the current state.
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

    /// Drains: closes an idle connection, ends a poll, and lets a request finish.
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

    /// Closes, unless an unread request has arrived: closing would reset the connection.
    private func endIdle() {
        guard socket.hasInput else { return end() }
        flags.insert(.readable)
        advance()
    }

    /// Ends a connection that has no request in progress.
    ///
    /// Closing at once would lose bytes that the kernel has taken and not yet encrypted. If the peer has requested new
    /// keys it may still send, and closing would reset the connection.
    func end() {
        let isEnding = phase == .reading || phase == .skipping
        guard isEnding, isKernelInFlight || tls?.session.isOutOfKeys ?? false else { return close() }
        finishSending()
    }

    /// Closes the connection at once and fails the operations that wait on it.
    func close(_ reason: BodyError = .disconnected) {
        guard phase != .closed else { return }
        concludeBroken()
        if phase == .waiting { loop.waiting -= 1 }
        // A truncated response must not look complete, so `close_notify` is sent only between responses.
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

    /// Sends everything, ends the stream, and waits for the peer to close.
    ///
    /// Closing with unread input would reset the connection, and the peer could lose the response.
    func finishSending() {
        phase = .closing
        if let tls, !finishSealed(tls) {
            _ = block()
            return
        }
        exchange = nil
        // If the kernel encrypts, only `close_notify` marks the end: ending the stream would lose bytes not yet
        // encrypted.
        if case .kernel = outlet {} else { socket.finishSending() }
        phase = .lingering
        linger()
    }

    /// Gives the peer time to close, from now on.
    func linger() {
        expectLeave()
        readLeftovers()
    }
}
