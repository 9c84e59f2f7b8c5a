import HTTP

extension Connection {
    /// Parks the request: no task, no buffer, until an answer, the end of its time, or the peer's leaving.
    func park(_ waiting: any Waiting, upTo duration: Duration) {
        let ticket = loop.makeTicket(slot: slot)
        self.waiting = waiting
        waitNumber = ticket.number
        phase = .waiting
        loop.waiting += 1
        idleSince = loop.now
        if let response = waiting.begin(ticket) {
            endWait()
            return send(response)
        }
        if let exchange, exchange.isSpent { self.exchange = nil }
        expectEnd(within: duration)
        if flags.contains(.peerFinished) || loop.drainEnd != nil { goOnLater() }
    }

    /// Answers the parked request, if it is still the one with this number.
    func answerWait(_ number: UInt64, with response: PreparedResponse) {
        guard phase == .waiting, waitNumber == number else { return }
        endWait()
        send(response)
        goOn()
    }

    /// The time is over, or the server drains.
    func expireWait() {
        guard let waiting else { return }
        endWait()
        if loop.drainEnd != nil { flags.insert(.closes) }
        send(waiting.expire())
        goOn()
    }

    /// The peer has left, or the server drains.
    func leaveWait() {
        if flags.contains(.peerFinished) { close() } else { expireWait() }
    }

    private func endWait() {
        loop.waiting -= 1
        waiting = nil
        waitNumber = 0
        phase = .reading
        expectNothing()
    }

    /// Sends an answer that was not made while requests are read, and goes on reading.
    func goOn() {
        guard flush() else { return }
        advance()
    }
}
