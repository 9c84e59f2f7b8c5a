import HTTP
import TLS

/// One peer's connection: the I/O of a ``ConnectionState``, which its loop drives on the loop's thread.
///
/// An idle or parked connection holds no buffer: further data of a request is in its ``Exchange``.
///
/// `@unchecked Sendable`: tasks hold a reference, but use it only on the loop's thread.
final class Connection: @unchecked Sendable {
    let loop: EventLoop
    let slot: Int
    let generation: UInt32
    var socket: Socket
    // Unchecked at run time: each event would cost several checks. Accesses cannot overlap, because they are all on the
    // loop's thread, and the methods of the state call nothing outside of it.
    @exclusivity(unchecked) var state: ConnectionState
    /// The parked request, or one whose wait is over without ``endWait()`` yet.
    var parked: Parked?
    var waitNumber: UInt64 = 0
    var exchange: Exchange?
    /// The TLS session and its pending output; `nil` for a plain connection.
    let tls: ConnectionTLS?
    let peer: PeerAddress
    /// The record of the current or the last request.
    var note = RequestNote(started: .distantFuture)
    /// The remaining bytes that the connection may send, and the number of the loop's iteration that they belong to.
    var sendBudget = (iteration: UInt32.max, bytes: 0)

    init(
        loop: EventLoop, socket: consuming Socket, slot: Int, generation: UInt32, peer: PeerAddress,
        session: TLSSession?
    ) {
        self.peer = peer
        tls = session.map(ConnectionTLS.init)
        state = ConnectionState(isEncrypted: session != nil)
        self.loop = loop
        self.socket = socket
        self.slot = slot
        self.generation = generation
    }

    @inline(__always)
    var phase: ConnectionState.Phase { state.phase }

    /// The way in which the connection is idle; `nil` if it is not.
    var idleness: Idleness? { state.idleness(at: loop.now, grace: loop.settings.deadlines.idleGrace) }

    /// Registers for all events, once.
    func open() {
        let token = UInt64(generation) << 32 | UInt64(slot)
        let isAdded = loop.epoll.add(
            socket.number, [.readable, .writable, .peerFinished, .onChange], token: token)
        guard isAdded else { return close() }
        arm(state.open(at: loop.now, loop.settings.deadlines))
    }

    func ensureExchange() -> Exchange {
        if let exchange { return exchange }
        let made = Exchange()
        exchange = made
        return made
    }
}

/// The events of the loop.
extension Connection {
    /// Records the events of epoll and continues.
    @inline(__always)
    func receive(_ events: Epoll.Events) {
        perform(state.react(to: events))
    }

    /// Continues in the loop's next iteration, after other connections; further calls before then have no effect.
    func goOnLater() {
        if state.queue() { loop.unfinished.append(slot) }
    }

    /// Continues in the iteration that ``goOnLater()`` asked for.
    func goOnNow() {
        perform(state.resume())
    }

    /// Continues with any work that is possible in the current state.
    func advance() {
        perform(state.next)
    }

    /// Sends a response that was made outside of the read loop, and continues reading.
    func goOn() {
        guard flush() else { return }
        advance()
    }

    /// Drains: closes an idle connection, ends a poll, and lets a request finish.
    func drain() {
        perform(state.drain(holdsExchange: exchange != nil))
    }

    /// Handles the first effective deadline that has passed.
    func expire() {
        let step = state.expire()
        arm(state.deadline.next.moment)
        perform(step)
    }

    /// Sets the connection's only timer.
    @inline(__always)
    func arm(_ moment: Instant) {
        guard phase != .closed else { return }
        loop.wheel.set(slot, moment)
    }

    /// Carries out a step of the state.
    func perform(_ step: ConnectionStep) {
        switch step {
        case .rest: break
        case .readRequests: readRequests()
        case .readBody: exchange?.reader?.pump()
        case .failBody: exchange?.reader?.fail(.timedOut)
        case .refuse:
            refuse(.requestTimeout)
            goOn()
        case .expireWait: expireWait()
        case .sendHeartbeat: sendHeartbeat()
        case .send: if unblock() { advance() }
        case .awaitInput: awaitInput()
        case .endIdle: endIdle()
        case .end: end()
        case .finish: finishSending()
        case .linger: linger()
        case .discardInput: readLeftovers()
        case .checkOutput: perform(state.judgeOutput(taken: takenOutput, loop.settings.deadlines))
        case .extendOutput:
            exchange?.outputPace = nil
            awaitOutput()
        case .checkLingering:
            let taken = takenOutput
            perform(state.judgeLingering(taken: taken, isInFlight: isKernelInFlight, loop.settings.deadlines))
        case .checkAcknowledgement: endLingering()
        case .cutOff: close(.timedOut)
        case .close: close()
        }
    }
}

/// The end of the connection.
extension Connection {
    /// Closes, unless an unread request has arrived: closing would reset the connection.
    private func endIdle() {
        guard socket.hasInput else { return end() }
        state.noteInput()
        advance()
    }

    /// Ends a connection that has no request in progress.
    ///
    /// Closing at once would lose bytes that the kernel has taken and not yet encrypted. If the peer has requested new
    /// keys it may still send, and closing would reset the connection.
    func end() {
        perform(state.end(isInFlight: isKernelInFlight || tls?.session.isOutOfKeys ?? false))
    }

    /// Closes an idle connection to make room for another one; returns whether it is closed.
    ///
    /// If a request has arrived unread, it gets its response instead. A poll on `/push` gets the response of its
    /// timeout; the client then polls again on another connection.
    func giveWay() -> Bool {
        switch idleness {
        case .withoutRequest, .recent:
            guard !socket.hasInput else {
                state.noteInput()
                goOnLater()
                return false
            }
            end()
        case .polling:
            state.closeAfterResponse()
            expireWait()
        case nil:
            return false
        }
        // Closes without waiting for the peer, which may never close.
        if phase != .closed { close() }
        return true
    }

    /// Closes the connection at once and fails the operations that wait on it.
    func close(_ reason: BodyError = .disconnected) {
        guard phase != .closed else { return }
        concludeBroken()
        if phase == .waiting { loop.waiting -= 1 }
        // A truncated response must not look complete, so `close_notify` is sent only between responses.
        if state.isBetweenResponses, let tls, exchange?.outbox.isEmpty ?? true { _ = finishSealed(tls) }
        state.close()
        tls?.session.leaveSocket()
        socket.close()
        loop.forget(slot, from: peer)
        let exchange = exchange
        self.exchange = nil
        exchange?.reader?.fail(reason)
        exchange?.writer?.fail(reason)
        parked.take()?.didEnd()
    }

    /// Sends everything, ends the stream, and waits for the peer to close.
    ///
    /// Closing with unread input would reset the connection, and the peer could lose the response.
    func finishSending() {
        state.beginClosing()
        if let tls, !finishSealed(tls) {
            _ = block()
            return
        }
        exchange = nil
        // If the kernel encrypts, only `close_notify` marks the end: ending the stream would lose bytes not yet
        // encrypted.
        if case .kernel = outlet {} else { socket.finishSending() }
        linger()
    }

    /// Gives the peer time to close, from now on.
    private func linger() {
        if isKernelInFlight { ensureExchange().outputPace = OutputPace(queued: socket.unacknowledged) }
        arm(state.linger(at: loop.now, loop.settings.deadlines))
        readLeftovers()
    }

    /// Discards input until the peer closes.
    private func readLeftovers() {
        // The bytes that came with TLS's end have been read already.
        if hasPeerEnded { return endLingering() }
        for _ in 0..<Self.readsPerIteration {
            guard let count = receive() else { return }
            guard count > 0 else { return endLingering() }
        }
        goOnLater()
    }

    /// Waits for the acknowledgement of the data in flight once the peer has ended its input.
    ///
    /// There is no event for acknowledgements, so the socket is checked again soon.
    private func endLingering() {
        guard isKernelInFlight else { return close() }
        arm(state.awaitAcknowledgement(at: loop.now, loop.settings.deadlines))
    }
}
