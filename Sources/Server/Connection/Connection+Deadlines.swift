import HTTP

/// The only places that set and clear a connection's deadlines.
extension Connection {
    /// Gives the peer so long for the next it is to send.
    @inline(__always)
    func expectInput(within duration: Duration) {
        deadline.input = loop.now + duration
        arm()
    }

    /// Gives what begins now so long as a whole; nothing is expected of the peer until then.
    func expectEnd(within duration: Duration) {
        deadline.input = .distantFuture
        deadline.end = loop.now + duration
        arm()
    }

    /// Stops to expect something for now; what began as a whole still has its end.
    func expectNoInput() {
        deadline.input = .distantFuture
        arm()
    }

    /// Expects nothing of the peer but to take what is sent to it.
    func expectNothing() {
        deadline.input = .distantFuture
        deadline.end = .distantFuture
        arm()
    }

    /// Gives the peer time to close.
    func expectLeave() {
        if isKernelInFlight { ensureExchange().outputPace = OutputPace(queued: socket.unacknowledged) }
        expectEnd(within: timeToLeave)
    }

    private var timeToLeave: Duration {
        let deadlines = loop.settings.deadlines
        return loop.drainEnd == nil ? deadlines.linger : min(deadlines.linger, deadlines.drainLinger)
    }

    /// The peer's time to close is over: it gets as much again if it has taken enough of what is in flight.
    private func judgeLingering() {
        let taken = exchange?.outputPace?.taken(queued: socket.unacknowledged) ?? 0
        guard isKernelInFlight, taken >= loop.settings.deadlines.least(in: timeToLeave) else { return close() }
        linger()
    }

    /// The peer sends no more: nothing is expected of it than to acknowledge what is in flight.
    ///
    /// Nothing tells of that: it is looked at again soon.
    func endLingering() {
        guard isKernelInFlight else { return close() }
        expectInput(within: loop.settings.deadlines.lingerLook)
    }

    /// Gives the peer time to take some of what is held up.
    func expectRoom() {
        let exchange = ensureExchange()
        guard exchange.outputPace == nil else { return }
        exchange.outputPace = OutputPace(queued: socket.unacknowledged)
        deadline.output = loop.now + loop.settings.deadlines.stalledWrite
        arm()
    }

    /// Nothing is held up any more: what was expected before is expected again.
    func expectRoomNoMore() {
        exchange?.outputPace = nil
        deadline.output = nil
        arm()
    }

    /// The peer's time to take something is over: it gets as much again if it has taken enough.
    private func judgeOutput() {
        let deadlines = loop.settings.deadlines
        let taken = exchange?.outputPace?.taken(queued: socket.unacknowledged) ?? 0
        guard taken >= deadlines.least(in: deadlines.stalledWrite) else { return close(.timedOut) }
        exchange?.outputPace = nil
        expectRoom()
    }

    @inline(__always)
    private func arm() {
        guard phase != .closed else { return }
        loop.wheel.set(slot, deadline.next.moment)
    }

    /// The first deadline that counts has passed.
    func expire() {
        switch deadline.next.cause {
        case .output:
            return judgeOutput()
        case .end where phase == .lingering:
            return judgeLingering()
        case .input:
            expectNoInput()
        case .end:
            expectNothing()
        }
        switch phase {
        case .reading where exchange?.partial != nil:
            refuse(.requestTimeout)
            goOn()
        case .waiting: expireWait()
        case .handling: exchange?.reader?.fail(.timedOut)
        case .reading: end()
        case .lingering: endLingering()
        case .skipping, .closing, .closed: close()
        }
    }
}
