import HTTP

extension Connection {
    /// The size in bytes up to which a body is copied next to its head; larger ones are sent from their own storage.
    private static let copiedBytes = 16 << 10

    /// Lets the application decide on a complete head, and carries the decision out.
    @inline(__always)
    func respond(_ head: borrowing RequestHead) {
        endWait()
        state.beginRequest(head, limit: loop.settings.limits.requestsPerConnection)
        let decision = loop.application.decide(copy head)
        beginNote(head, decision)
        let disposition = decision.disposition
        if head.framing != .none { prepareBody(head, isWanted: disposition.wantsBody) }
        switch disposition {
        case .prepared(let response): send(response)
        case .respond(let response): send(response)
        case .wait(let waiting, let duration): park(waiting, upTo: duration)
        case .handle(let limit, let handler): handle(copy head, bodyLimit: limit, handler)
        }
    }

    /// Prepares for a body after the head: the handler reads it, or the server discards it after the response.
    private func prepareBody(_ head: borrowing RequestHead, isWanted: Bool) {
        let limits = loop.settings.limits
        ensureExchange().body = BodyDecoder(head.framing, limits: limits)
        state.beginBody(limit: limits.discardedBytes)
        if !isWanted { leaveBody(isExpected: head.expectsContinue) }
    }

    /// Leaves the rest of a body to the server, which discards it or closes the connection after the response.
    private func leaveBody(isExpected: Bool) {
        guard let exchange, exchange.hasBody else { return }
        state.leaveBody(
            remaining: exchange.body?.remaining, isExpected: isExpected, limit: loop.settings.limits.discardedBytes)
    }

    /// Sends a prepared response.
    @inline(__always)
    func send(_ response: PreparedResponse) {
        note.status = UInt16(response.status.code)
        if !append(response) {
            put(response.head)
            if !note.id.isEmpty { put(identification) }
            put(ending)
            if !state.omitsBody { put(response.body) }
        }
        finishResponse()
    }

    /// Copies a small response into the loop's output if nothing has to precede it or be inserted; returns whether it
    /// did.
    @inline(__always)
    private func append(_ response: PreparedResponse) -> Bool {
        guard case .bytes(let bytes) = response.body, exchange == nil, note.id.isEmpty else { return false }
        let body = state.omitsBody ? 0 : bytes.count
        let ending = ending
        let needed = response.head.count + ending.count + body
        guard body <= Self.copiedBytes, needed <= loop.output.room else { return false }
        let before = loop.output.count
        loop.output.append(response.head)
        loop.output.append(ending)
        if body > 0 { loop.output.append(bytes) }
        note.bytes += loop.output.count - before
        return true
    }

    /// Sends a response made for this request.
    func send(_ response: Response) {
        let heading = writeHead(of: response)
        guard phase != .closed else { return }
        if !state.omitsBody, !response.status.isBodiless {
            switch response.body {
            case .empty: break
            case .bytes(let bytes): if !bytes.isEmpty { put(bytes) }
            case .file(let region): put(region)
            case .pieces(let pieces): for piece in pieces { put(piece) }
            case .stream(_, let produce):
                arm(state.beginHandling(bodyLimit: nil, at: loop.now, loop.settings.deadlines))
                loop.spawner.add { [self] in await stream(heading, produce) }
                return
            case .feed(let feed): return open(feed, heading)
            }
        }
        finishResponse()
    }

    /// Writes the head of a response to the output.
    private func writeHead(of response: Response) -> BodyHeading {
        let heading = response.heading(minorVersion: state.isOld ? 0 : 1)
        if heading == .none, !response.status.isBodiless { state.closeAfterResponse() }
        loop.headBytes.removeAll(keepingCapacity: true)
        response.writeHead(heading, to: &loop.headBytes)
        note.status = UInt16(response.status.code)
        put(loop.headBytes)
        if !note.id.isEmpty { put(identification) }
        put(ending)
        return heading
    }

    /// Rejects a malformed request and ends the connection.
    func refuse(_ status: Status) {
        state.refuse()
        exchange?.partial = nil
        note = RequestNote(started: loop.now)
        let text = Array("\(status.code) \(status.reason)\n".utf8)
        send(PreparedResponse(status, fields: [.contentType: "text/plain", .cacheControl: "no-store"], body: text))
    }

    private var ending: [UInt8] {
        tls == nil ? ending(of: loop.endings.bare) : ending(of: loop.endings.secure)
    }

    private func ending(of forms: borrowing HeadEndings.Forms) -> [UInt8] {
        if state.closes {
            forms.closing
        } else if state.isOld {
            forms.keeping
        } else {
            forms.plain
        }
    }

    /// Queues bytes behind all others, as a copy if there are few of them.
    ///
    /// The loop's output is sent before the outbox. Once the outbox holds anything, further bytes have to follow there.
    func put(_ bytes: [UInt8]) {
        let isCopied = bytes.count <= Self.copiedBytes
        if isCopied, bytes.count > loop.output.room, exchange?.outbox.isEmpty ?? true { _ = flush() }
        guard phase != .closed else { return }
        note.bytes += bytes.count
        if isCopied, exchange?.outbox.isEmpty ?? true {
            loop.output.append(bytes)
        } else {
            ensureExchange().outbox.append(.bytes(bytes, from: 0))
        }
    }

    private func put(_ region: FileRegion) {
        guard region.count > 0 else { return }
        ensureExchange().outbox.append(.file(region))
        note.bytes += region.count
    }

    private func put(_ piece: BodyPiece) {
        switch piece {
        case .bytes(let bytes): if !bytes.isEmpty { put(bytes) }
        case .file(let region): put(region)
        }
    }

    /// Ends the current exchange once its whole response is queued, and continues with the connection's next state.
    func finishResponse() {
        guard phase != .closed else { return }
        endNote()
        state.finishResponse(isBodyUnread: exchange?.hasBody ?? false)
        if phase == .idle { exchange?.body = nil }
    }
}

/// Responses that a task makes.
extension Connection {
    /// Starts a task that makes the response.
    private func handle(
        _ head: RequestHead, bodyLimit: Int, _ handler: @escaping @Sendable (Request) async -> Response
    ) {
        let hasBody = exchange?.hasBody ?? false
        arm(state.beginHandling(bodyLimit: hasBody ? bodyLimit : nil, at: loop.now, loop.settings.deadlines))
        let body = readableBody(of: head, limit: bodyLimit)
        loop.spawner.add { [self] in
            let response = await handler(Request(head: head, body: body))
            await finish(with: response)
        }
    }

    private func readableBody(of head: RequestHead, limit: Int) -> RequestBody {
        guard let exchange, exchange.hasBody else { return .empty }
        let reader = BodyReader(self, limit: limit, isExpected: head.expectsContinue)
        exchange.reader = reader
        return RequestBody(length: exchange.body?.remaining, source: reader)
    }

    /// Sends the response of the handler; runs on the loop, which the task prefers.
    private func finish(with response: Response) async {
        precondition(loop.isCurrent)
        guard phase != .closed else { return }
        if let exchange, let reader = exchange.reader {
            if reader.isBroken { state.closeAfterResponse() }
            leaveBody(isExpected: reader.isExpected)
            exchange.reader = nil
            reader.fail(.disconnected)
            arm(state.endOperation())
        }
        if case .stream(_, let produce) = response.body, !state.omitsBody, !response.status.isBodiless {
            let heading = writeHead(of: response)
            await stream(heading, produce)
        } else {
            send(response)
            goOn()
        }
    }

    /// Sends a streamed body; runs on the loop, in a task.
    private func stream(
        _ heading: BodyHeading, _ produce: @Sendable (any BodyWriter) async throws -> Void
    ) async {
        guard phase != .closed else { return }
        let writer = StreamWriter(self, heading)
        ensureExchange().writer = writer
        guard flush() || phase != .closed else { return }
        var failure: String?
        do {
            try await produce(writer)
        } catch {
            failure = "\(error)"
        }
        precondition(loop.isCurrent)
        endStream(writer, failure)
    }

    private func endStream(_ writer: StreamWriter, _ failure: String?) {
        guard phase != .closed else { return }
        exchange?.writer = nil
        if let problem = failure ?? writer.shortage {
            loop.settings.report(.streamFailed(reason: problem))
            return close()
        }
        if !writer.ending.isEmpty { put(writer.ending) }
        finishResponse()
        goOn()
    }
}

/// Responses to parked requests.
extension Connection {
    /// Parks the request, without a task or buffer, until a response, its deadline or the peer's disconnect.
    private func park(_ waiting: any Waiting, upTo duration: Duration) {
        let ticket = loop.makeTicket(slot: slot)
        parked = .poll(waiting)
        waitNumber = ticket.number
        state.park(at: loop.now)
        loop.waiting += 1
        if let response = waiting.begin(ticket) {
            unpark()
            endWait()
            return send(response)
        }
        if let exchange, exchange.isSpent { self.exchange = nil }
        arm(state.awaitEvent(until: loop.now + duration))
        if state.isWaitOver { goOnLater() }
    }

    /// Sends the response to the parked request if it still has this number; ``endWait()`` follows.
    func respondToWait(_ number: UInt64, with response: PreparedResponse) {
        guard phase == .waiting, waitNumber == number, !state.isFeeding else { return }
        unpark()
        send(response)
        goOn()
    }

    /// Ends the wait at its deadline or because the server drains.
    func expireWait() {
        switch parked {
        case .poll(let waiting):
            let response = waiting.expire()
            unpark()
            endWait()
            send(response)
            goOn()
        case .feed: finishFeed()
        case nil: break
        }
    }

    /// Lets the response to the parked request or its end be sent.
    func unpark() {
        loop.waiting -= 1
        waitNumber = 0
        arm(state.unpark())
    }

    /// Ends the wait, unless the request is still parked.
    ///
    /// If an event wakes many clients, the loop sends all responses first and then calls this for each client, or earlier
    /// when the client's next request arrives.
    @inline(__always)
    func endWait() {
        if parked != nil, phase != .waiting { parked.take()?.didEnd() }
    }
}

extension Disposition {
    fileprivate var wantsBody: Bool {
        if case .handle = self { true } else { false }
    }
}
