import HTTP

extension Connection {
    /// Parks the request, without a task or buffer, until a response, its deadline or the peer's disconnect.
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

    /// Sends the response to the parked request if it still has this number.
    func answerWait(_ number: UInt64, with response: PreparedResponse) {
        guard phase == .waiting, waitNumber == number else { return }
        endWait()
        send(response)
        goOn()
    }

    /// Ends the wait at its deadline or because the server drains.
    func expireWait() {
        guard let waiting else { return }
        endWait()
        if loop.drainEnd != nil { flags.insert(.closes) }
        send(waiting.expire())
        goOn()
    }

    /// Ends the wait because the peer disconnected or the server drains.
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

    /// Sends a response that was made outside of the read loop, and continues reading.
    func goOn() {
        guard flush() else { return }
        advance()
    }
}
