import HTTP

/// A parked request.
enum Parked {
    case poll(any Waiting)
    case feed(any Feed)

    func didEnd() {
        switch self {
        case .poll(let waiting): waiting.didEnd()
        case .feed(let feed): feed.didEnd()
        }
    }
}

/// A piece of open responses, framed once for all of them.
struct FeedPiece {
    let bytes: [UInt8]
    /// The bytes as a chunk (RFC 9112 §7.1); empty without any, because an empty chunk is the last one.
    let chunk: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        chunk = bytes.isEmpty ? [] : Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [0x0D, 0x0A]
    }
}

/// Open responses, to which pieces are added.
extension Connection {
    /// Sends the first piece of an open response, whose head is written, and parks the request.
    func open(_ feed: any Feed, _ heading: BodyHeading) {
        let ticket = loop.makeTicket(slot: slot)
        parked = .feed(feed)
        waitNumber = ticket.number
        state.park(at: loop.now, isFeeding: true)
        loop.waiting += 1
        add(FeedPiece(feed.begin(ticket)))
        sendPieces(of: feed)
        if phase == .waiting, state.isWaitOver { goOnLater() }
    }

    /// Sends a piece of the open response if it still has this number; closes the connection of a peer that is too slow.
    func feed(_ piece: FeedPiece, _ number: UInt64) {
        guard phase == .waiting, waitNumber == number, case .feed(let feed)? = parked else { return }
        let pending = exchange?.outbox.byteCount ?? 0
        guard pending + piece.bytes.count <= FeedLimits.pendingBytes || pending == 0 else { return close() }
        add(piece)
        sendPieces(of: feed)
    }

    /// Sends the heartbeat unless a piece is still pending.
    func sendHeartbeat() {
        guard case .feed(let feed)? = parked else { return }
        if state.isBlocked { awaitHeartbeat(feed) } else { self.feed(FeedPiece(feed.heartbeat), waitNumber) }
    }

    /// Completes the open response if it still has this number.
    func finishFeed(_ number: UInt64) {
        if phase == .waiting, waitNumber == number, state.isFeeding { finishFeed() }
    }

    /// Completes the open response, and continues with the connection's next request.
    func finishFeed() {
        unpark()
        endWait()
        if !state.isOld { append(Array("0\r\n\r\n".utf8)) }
        finishResponse()
        goOn()
    }

    /// Notes that the socket has taken all pieces of an open response.
    func notePiecesSent() {
        guard phase == .waiting, case .feed(let feed)? = parked else { return }
        dropSpentExchange()
        feed.didSend()
    }

    /// Sends the queued pieces as far as the socket takes them, and waits for the next one.
    private func sendPieces(of feed: any Feed) {
        if phase == .waiting, flush() { notePiecesSent() }
        // Sending may have closed the connection.
        if phase == .waiting { awaitHeartbeat(feed) }
    }

    private func awaitHeartbeat(_ feed: any Feed) {
        arm(state.awaitEvent(until: loop.now + feed.interval))
    }

    /// An idle stream holds no buffer.
    private func dropSpentExchange() {
        if let exchange, exchange.isSpent { self.exchange = nil }
    }

    /// Queues a piece, as a chunk unless the peer knows none.
    private func add(_ piece: FeedPiece) {
        if !piece.bytes.isEmpty { append(state.isOld ? piece.bytes : piece.chunk) }
    }

    /// Queues bytes behind the pending ones, while sending may be paused.
    private func append(_ bytes: [UInt8]) {
        guard state.isBlocked else { return put(bytes) }
        note.bytes += bytes.count
        ensureExchange().outbox.append(.bytes(bytes, from: 0))
    }
}
