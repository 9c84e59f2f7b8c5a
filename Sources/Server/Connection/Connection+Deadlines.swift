import HTTP

/// The only code that sets and clears a connection's deadlines.
extension Connection {
    /// Sets the deadline for the next input.
    @inline(__always)
    func expectInput(within duration: Duration) {
        deadline.input = loop.now + duration
        arm()
    }

    /// Sets the deadline for the end of an operation as a whole, and clears the one for input.
    func expectEnd(within duration: Duration) {
        deadline.input = .distantFuture
        deadline.end = loop.now + duration
        arm()
    }

    /// Clears the deadline for input; an operation keeps its deadline as a whole.
    func expectNoInput() {
        deadline.input = .distantFuture
        arm()
    }

    /// Clears the deadlines for input and for the end; the one for output remains.
    func expectNothing() {
        deadline.input = .distantFuture
        deadline.end = .distantFuture
        arm()
    }

    /// Sets the deadline for the peer's close.
    func expectLeave() {
        if isKernelInFlight { ensureExchange().outputPace = OutputPace(queued: socket.unacknowledged) }
        expectEnd(within: timeToLeave)
    }

    private var timeToLeave: Duration {
        let deadlines = loop.settings.deadlines
        return loop.drainEnd == nil ? deadlines.linger : min(deadlines.linger, deadlines.drainLinger)
    }

    /// Decides at the deadline for the peer's close: extends it if the peer has taken enough of the data in flight.
    private func judgeLingering() {
        let taken = exchange?.outputPace?.taken(queued: socket.unacknowledged) ?? 0
        guard isKernelInFlight, taken >= loop.settings.deadlines.least(in: timeToLeave) else { return close() }
        linger()
    }

    /// Waits for the acknowledgement of the data in flight once the peer has ended its input.
    ///
    /// There is no event for acknowledgements, so the socket is checked again soon.
    func endLingering() {
        guard isKernelInFlight else { return close() }
        expectInput(within: loop.settings.deadlines.lingerLook)
    }

    /// Sets the deadline for the peer to take some of the pending output.
    func expectRoom() {
        let exchange = ensureExchange()
        guard exchange.outputPace == nil else { return }
        exchange.outputPace = OutputPace(queued: socket.unacknowledged)
        deadline.output = loop.now + loop.settings.deadlines.stalledWrite
        arm()
    }

    /// Clears the deadline for output; earlier deadlines apply again.
    func expectRoomNoMore() {
        exchange?.outputPace = nil
        deadline.output = nil
        arm()
    }

    /// Decides at the deadline for output: extends it if the peer has taken enough.
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

    /// Handles the first effective deadline that has passed.
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
