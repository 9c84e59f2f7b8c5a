import HTTP

/// The state of one connection and the rules by which it changes, without I/O and without a clock.
///
/// The connection passes its events to the state, and carries out the ``ConnectionStep`` that the state returns. An
/// event that sets or clears a deadline returns the instant of the first one that applies; the loop calls ``expire()``
/// then.
struct ConnectionState {
    enum Phase: UInt8 {
        /// The TLS handshake is not done.
        case handshake
        /// Between requests.
        case idle
        /// Within a head.
        case head
        /// Within a body that the server discards.
        case skipping
        /// The response is made at once.
        case responding
        /// A task makes the response.
        case handling
        /// Parked.
        case waiting
        /// The last response is being sent.
        case closing
        /// Everything is sent; further input is discarded until the peer closes.
        case lingering
        case closed
    }

    private struct Flags: OptionSet {
        let rawValue: UInt16

        /// The socket may have input.
        static let readable = Flags(rawValue: 1 << 0)
        /// The peer has ended its stream; unread input may remain.
        static let peerFinished = Flags(rawValue: 1 << 1)
        /// The kernel takes no more output; the connection pauses until it does.
        static let blocked = Flags(rawValue: 1 << 2)
        /// Blocked only to let the loop serve other connections.
        static let yielded = Flags(rawValue: 1 << 3)
        /// The loop continues with the connection in its next iteration.
        static let queued = Flags(rawValue: 1 << 4)
        /// The connection closes after the current response.
        static let closes = Flags(rawValue: 1 << 5)
        /// The current request is a `HEAD`.
        static let withoutBody = Flags(rawValue: 1 << 6)
        /// The current request is of HTTP/1.0.
        static let isOld = Flags(rawValue: 1 << 7)
        /// The deadline for the next input has been set since the last request or discarded body.
        static let timed = Flags(rawValue: 1 << 8)
        /// The server drains.
        static let draining = Flags(rawValue: 1 << 9)
        /// The parked request has an open response, to which pieces are added.
        static let feeding = Flags(rawValue: 1 << 10)
    }

    private(set) var phase: Phase
    private var flags: Flags = []
    /// The number of body bytes that may still be discarded before the connection is closed.
    private var skippable: Int32 = 0
    /// The number of requests that have begun.
    private var requests = 0
    private(set) var deadline = ConnectionDeadline()
    /// The instant since which the server waits for a request, or for an event on `/push`.
    private(set) var idleSince = Instant.distantFuture

    init(isEncrypted: Bool) {
        phase = isEncrypted ? .handshake : .idle
    }

    /// Begins with a connected peer; returns the first deadline.
    mutating func open(at now: Instant, _ deadlines: Deadlines) -> Instant {
        idleSince = now
        deadline.input = now + (phase == .handshake ? deadlines.handshake : deadlines.keepAlive)
        return deadline.next.moment
    }

    mutating func finishHandshake() {
        if phase == .handshake { phase = .idle }
    }

    mutating func close() {
        phase = .closed
    }
}

/// The events of the socket and of the loop.
extension ConnectionState {
    /// Whether the socket may have input.
    @inline(__always)
    var mayRead: Bool { flags.contains(.readable) }

    /// Whether sending is paused.
    @inline(__always)
    var isBlocked: Bool { flags.contains(.blocked) }

    /// Notes the events of epoll; returns the step that they allow.
    @inline(__always)
    mutating func react(to events: Epoll.Events) -> ConnectionStep {
        if !events.isDisjoint(with: [.readable, .peerFinished, .hungUp, .failed]) { flags.insert(.readable) }
        if !events.isDisjoint(with: [.peerFinished, .hungUp, .failed]) { flags.insert(.peerFinished) }
        guard flags.contains(.blocked) else { return next }
        return events.isDisjoint(with: [.writable, .failed]) ? .rest : .send
    }

    /// The step that the current state allows.
    @inline(__always)
    var next: ConnectionStep {
        guard flags.isDisjoint(with: [.blocked, .yielded]) else { return flags.contains(.yielded) ? .send : .rest }
        return switch phase {
        case .handshake, .idle, .head, .skipping: .readRequests
        case .waiting: flags.contains(.peerFinished) ? .close : isWaitOver ? .expireWait : .rest
        case .handling: .readBody
        case .closing: .finish
        case .lingering: .discardInput
        case .responding, .closed: .rest
        }
    }

    /// Notes input of which there was no event.
    mutating func noteInput() {
        flags.insert(.readable)
    }

    /// Notes that the last read left the socket empty: further input causes an event.
    @inline(__always)
    mutating func noteEmptySocket() {
        flags.remove(.readable)
    }

    /// Notes a read that did not fill its buffer, which has emptied the socket unless the end of the stream follows.
    @inline(__always)
    mutating func noteShortRead() {
        if !flags.contains(.peerFinished) { flags.remove(.readable) }
    }

    /// Pauses until the kernel takes more output.
    mutating func block() {
        flags.insert(.blocked)
    }

    /// Ends the pause of ``block()`` and ``yield()``.
    mutating func unblock() {
        flags.remove([.blocked, .yielded])
    }

    /// Marks a pause as one that only lets the loop serve other connections.
    mutating func yield() {
        flags.insert(.yielded)
    }

    /// Queues the connection for the loop's next iteration; returns `false` if it is queued already.
    mutating func queue() -> Bool {
        flags.insert(.queued).inserted
    }

    /// Continues in the iteration for which ``queue()`` queued the connection.
    mutating func resume() -> ConnectionStep {
        flags.remove(.queued)
        return next
    }

    /// Begins the drain: closes an idle connection, ends a poll, and lets a request finish.
    ///
    /// - Parameter holdsExchange: Whether input is unprocessed or output is pending.
    mutating func drain(holdsExchange: Bool) -> ConnectionStep {
        flags.insert(.draining)
        switch phase {
        case .idle where requests == 0:
            flags.remove(.timed)
            return .awaitInput
        case .idle where !flags.contains(.blocked) && !holdsExchange: return .endIdle
        case .waiting:
            flags.insert(.closes)
            return .expireWait
        case .responding, .handling:
            flags.insert(.closes)
            return .rest
        case .lingering: return .linger
        case .handshake, .idle, .head, .skipping, .closing, .closed: return .rest
        }
    }

    /// Notes that a deadline has passed; returns the step that it causes.
    mutating func expire() -> ConnectionStep {
        switch deadline.next.cause {
        case .output: return .checkOutput
        case .end where phase == .lingering: return .checkLingering
        case .input: deadline.input = .distantFuture
        case .end: _ = endOperation()
        }
        return switch phase {
        case .head: .refuse
        case .waiting: flags.contains(.feeding) ? .sendHeartbeat : .expireWait
        case .handling: .failBody
        case .handshake, .idle: .end
        case .lingering: .checkAcknowledgement
        case .skipping, .responding, .closing, .closed: .close
        }
    }
}

/// Requests and their bodies.
extension ConnectionState {
    /// The contents of the next input that the connection processes.
    enum Input {
        case head, skippedBody
    }

    /// The contents of the next input; `nil` while the connection has to send first or leaves the input to others.
    @inline(__always)
    var input: Input? {
        guard !flags.contains(.blocked) else { return nil }
        return switch phase {
        case .handshake, .idle, .head: .head
        case .skipping: .skippedBody
        case .responding, .handling, .waiting, .closing, .lingering, .closed: nil
        }
    }

    /// Whether the connection reads requests, or a body between two of them.
    @inline(__always)
    var readsRequests: Bool {
        switch phase {
        case .handshake, .idle, .head, .skipping: true
        case .responding, .handling, .waiting, .closing, .lingering, .closed: false
        }
    }

    /// Whether input that was read and not processed is kept for later.
    var keepsInput: Bool {
        switch phase {
        case .handshake, .idle, .head, .skipping, .responding, .handling, .waiting: true
        case .closing, .lingering, .closed: false
        }
    }

    /// Begins a head of which only a part has arrived; returns the deadline.
    mutating func beginHead(at now: Instant, _ deadlines: Deadlines) -> Instant {
        phase = .head
        deadline.input = now + deadlines.head
        return deadline.next.moment
    }

    /// Begins the response to a complete head, and decides whether the connection closes after it.
    ///
    /// - Parameter limit: The number of requests on one connection.
    @inline(__always)
    mutating func beginRequest(_ head: borrowing RequestHead, limit: Int) {
        phase = .responding
        requests += 1
        flags.remove([.withoutBody, .isOld, .timed])
        if !head.isPersistent || flags.contains(.draining) || requests >= limit { flags.insert(.closes) }
        if head.method == .head { flags.insert(.withoutBody) }
        if head.minorVersion == 0 { flags.insert(.isOld) }
    }

    /// Begins the rejection of a head that is malformed or late; the connection closes after it.
    mutating func refuse() {
        phase = .responding
        flags.insert(.closes)
        flags.remove([.withoutBody, .isOld])
    }

    /// Notes that a body follows the head.
    ///
    /// - Parameter limit: The number of its bytes that may be discarded.
    mutating func beginBody(limit: Int) {
        skippable = Int32(clamping: limit)
    }

    /// Notes a body that is not read to its end; the connection closes after the response if the body is too long to be
    /// discarded, or may never arrive.
    ///
    /// - Parameters:
    ///   - remaining: The number of bytes to come, if it is known.
    ///   - isExpected: Whether the peer still waits for `100 Continue`.
    ///   - limit: The number of bytes that may be discarded.
    mutating func leaveBody(remaining: Int?, isExpected: Bool, limit: Int) {
        if isExpected || remaining ?? 0 > limit { flags.insert(.closes) }
    }

    /// Notes discarded bytes of a body; too many of them end the connection.
    mutating func skip(_ count: Int, isComplete: Bool) {
        skippable -= Int32(clamping: count)
        if isComplete {
            flags.remove(.timed)
            phase = .idle
        } else if skippable < 0 {
            loseBody()
        }
    }

    /// Ends the connection after its response, because the end of the discarded body is unknown.
    mutating func loseBody() {
        flags.insert(.closes)
        phase = .closing
    }

    /// The step once all input is processed.
    @inline(__always)
    var afterInput: ConnectionStep {
        switch phase {
        case .closing: .finish
        case .idle: flags.contains(.draining) && requests > 0 ? .finish : .awaitInput
        case .handshake, .head, .skipping: .awaitInput
        case .responding, .handling, .waiting, .lingering, .closed: .rest
        }
    }

    /// Begins to wait for input; returns the deadline, or `nil` if it is the one that applies already.
    ///
    /// Bytes without a request, for instance of TLS, do not extend a deadline. A handshake and a head have their own.
    @inline(__always)
    mutating func awaitInput(at now: Instant, _ deadlines: Deadlines) -> Instant? {
        guard !flags.contains(.timed) else { return nil }
        switch phase {
        case .idle:
            idleSince = now
            let patience =
                flags.contains(.draining) ? min(deadlines.keepAlive, deadlines.drainGreeting) : deadlines.keepAlive
            deadline.input = now + patience
        case .skipping: deadline.input = now + deadlines.bodyIdle
        case .handshake, .head, .responding, .handling, .waiting, .closing, .lingering, .closed: return nil
        }
        flags.insert(.timed)
        return deadline.next.moment
    }
}

/// Responses.
extension ConnectionState {
    /// Whether the connection closes after the current response.
    @inline(__always)
    var closes: Bool { flags.contains(.closes) }

    /// Whether the response has no body, because the request is a `HEAD`.
    @inline(__always)
    var omitsBody: Bool { flags.contains(.withoutBody) }

    /// Whether the request is of HTTP/1.0.
    @inline(__always)
    var isOld: Bool { flags.contains(.isOld) }

    /// Whether pieces are added to the response of the parked request.
    var isFeeding: Bool { flags.contains(.feeding) }

    /// Whether the response to a request is still being made, by a task or by an event on `/push`.
    var owesResponse: Bool { phase == .handling || phase == .waiting }

    /// Whether no response has begun that is not complete, so that the peer may be informed of the end.
    var isBetweenResponses: Bool { phase == .idle || phase == .head || phase == .handshake }

    /// Whether a parked request has to end although its response is not made.
    var isWaitOver: Bool { !flags.isDisjoint(with: [.peerFinished, .draining]) }

    /// Closes the connection after the current response.
    mutating func closeAfterResponse() {
        flags.insert(.closes)
    }

    /// Passes the request to a task; the peer has no deadline until the task reads or writes, except for a small body.
    ///
    /// - Parameter bodyLimit: The limit in bytes of the body that the task may read; `nil` without a body.
    mutating func beginHandling(bodyLimit: Int?, at now: Instant, _ deadlines: Deadlines) -> Instant {
        phase = .handling
        let isSmall = bodyLimit.map { $0 <= Deadlines.smallBodyBytes } ?? false
        return expectEnd(at: isSmall ? now + deadlines.body : .distantFuture)
    }

    /// Sets the deadline for the next piece of the body.
    mutating func awaitPiece(until moment: Instant) -> Instant {
        deadline.input = moment
        return deadline.next.moment
    }

    /// Notes a piece of the body; the deadline for the whole body remains until its end.
    mutating func notePiece(isLast: Bool) -> Instant {
        if isLast { return endOperation() }
        deadline.input = .distantFuture
        return deadline.next.moment
    }

    /// Clears the deadlines for input and for the end; the one for output remains.
    mutating func endOperation() -> Instant {
        expectEnd(at: .distantFuture)
    }

    /// Parks the request.
    ///
    /// - Parameter isFeeding: Whether its response has begun, and pieces are added to it.
    mutating func park(at now: Instant, isFeeding: Bool = false) {
        phase = .waiting
        idleSince = now
        if isFeeding { flags.insert(.feeding) }
    }

    /// Sets the deadline of a parked request, or of the next heartbeat.
    mutating func awaitEvent(until moment: Instant) -> Instant {
        expectEnd(at: moment)
    }

    /// Begins the response to a parked request.
    mutating func unpark() -> Instant {
        phase = .responding
        flags.remove(.feeding)
        return endOperation()
    }

    /// Notes that the whole response is queued; what follows depends on the rest of the request's body.
    @inline(__always)
    mutating func finishResponse(isBodyUnread: Bool) {
        phase = closes ? .closing : isBodyUnread ? .skipping : .idle
    }

    private mutating func expectEnd(at moment: Instant) -> Instant {
        deadline.input = .distantFuture
        deadline.end = moment
        return deadline.next.moment
    }
}

/// Pending output, and the end of the connection.
extension ConnectionState {
    /// Sets the deadline for the peer to take some of the pending output.
    mutating func awaitOutput(at now: Instant, _ deadlines: Deadlines) -> Instant {
        deadline.output = now + deadlines.stalledWrite
        return deadline.next.moment
    }

    /// Clears the deadline for output; earlier deadlines apply again.
    mutating func endOutput() -> Instant {
        deadline.output = nil
        return deadline.next.moment
    }

    /// Decides at the deadline for output, given the number of bytes that the peer has taken since it was set.
    func judgeOutput(taken: Int, _ deadlines: Deadlines) -> ConnectionStep {
        taken >= deadlines.least(in: deadlines.stalledWrite) ? .extendOutput : .cutOff
    }

    /// Ends a connection without a request in progress.
    ///
    /// - Parameter isInFlight: Whether closing at once would lose bytes that the kernel has taken, or reset the
    ///   connection.
    func end(isInFlight: Bool) -> ConnectionStep {
        readsRequests && isInFlight ? .finish : .close
    }

    /// Begins to send everything that is pending and the end of the stream.
    mutating func beginClosing() {
        phase = .closing
    }

    /// Gives the peer time to close, from now on.
    mutating func linger(at now: Instant, _ deadlines: Deadlines) -> Instant {
        phase = .lingering
        return expectEnd(at: now + patience(deadlines))
    }

    /// Decides at the deadline for the peer's close, given the number of bytes that it has taken since.
    ///
    /// - Parameter isInFlight: Whether the kernel still has to send bytes, which closing would lose.
    func judgeLingering(taken: Int, isInFlight: Bool, _ deadlines: Deadlines) -> ConnectionStep {
        isInFlight && taken >= deadlines.least(in: patience(deadlines)) ? .linger : .close
    }

    /// Sets the instant of the next check for the acknowledgement of data in flight, for which there is no event.
    mutating func awaitAcknowledgement(at now: Instant, _ deadlines: Deadlines) -> Instant {
        deadline.input = now + deadlines.lingerInterval
        return deadline.next.moment
    }

    /// The time that the peer has to close.
    private func patience(_ deadlines: Deadlines) -> Duration {
        flags.contains(.draining) ? min(deadlines.linger, deadlines.drainLinger) : deadlines.linger
    }

    /// The way in which the connection is idle; `nil` while it makes or sends a response, reads a body, or waits for
    /// the close.
    ///
    /// - Parameter grace: The time after which a connection without a request is no longer recent.
    func idleness(at now: Instant, grace: Duration) -> Idleness? {
        guard flags.isDisjoint(with: [.blocked, .queued]) else { return nil }
        return switch phase {
        case .handshake, .idle, .head: now - idleSince < grace ? .recent : .withoutRequest
        case .waiting: .polling
        case .skipping, .responding, .handling, .closing, .lingering, .closed: nil
        }
    }
}
