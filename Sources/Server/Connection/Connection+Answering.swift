import HTTP

extension Connection {
    /// The size in bytes up to which a body is copied next to its head; larger ones are sent from their own storage.
    private static let copiedBytes = 16 << 10

    /// Lets the application decide on a complete head, and carries the decision out.
    @inline(__always)
    func answer(_ head: borrowing RequestHead) {
        flags.remove([.closes, .withoutBody, .isOld])
        requests += 1
        let isLast = requests >= loop.settings.limits.requestsPerConnection
        if !head.isPersistent || loop.drainEnd != nil || isLast { flags.insert(.closes) }
        if head.method == .head { flags.insert(.withoutBody) }
        if head.minorVersion == 0 { flags.insert(.isOld) }
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
        skippable = Int32(clamping: limits.discardedBytes)
        if !isWanted { judgeUnreadBody(isExpected: head.expectsContinue) }
    }

    /// Marks the connection for closing after the response if the body is too long to be discarded, or may never
    /// arrive.
    func judgeUnreadBody(isExpected: Bool) {
        guard let exchange, exchange.hasBody else { return }
        let isLong = exchange.body?.remaining.map { $0 > loop.settings.limits.discardedBytes } ?? false
        if isLong || isExpected { flags.insert(.closes) }
    }

    /// Sends a prepared response.
    @inline(__always)
    func send(_ response: PreparedResponse) {
        note.status = UInt16(response.status.code)
        if !append(response) {
            put(response.head)
            if !note.id.isEmpty { put(identification) }
            put(ending)
            if !flags.contains(.withoutBody) { put(response.body) }
        }
        finishAnswer()
    }

    /// Copies a small response into the loop's output if nothing has to precede it or be inserted; returns whether it
    /// did.
    @inline(__always)
    private func append(_ response: PreparedResponse) -> Bool {
        guard case .bytes(let bytes) = response.body, exchange == nil, note.id.isEmpty else { return false }
        let body = flags.contains(.withoutBody) ? 0 : bytes.count
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
        if !flags.contains(.withoutBody), !response.status.isBodiless {
            switch response.body {
            case .empty: break
            case .bytes(let bytes): if !bytes.isEmpty { put(bytes) }
            case .file(let region): put(region)
            case .pieces(let pieces): for piece in pieces { put(piece) }
            case .stream(_, let produce):
                beginHandling()
                loop.spawner.add { [self] in await stream(heading, produce) }
                return
            }
        }
        finishAnswer()
    }

    /// Writes the head of a response to the output.
    func writeHead(of response: Response) -> BodyHeading {
        let heading = response.heading(minorVersion: flags.contains(.isOld) ? 0 : 1)
        if heading == .none, !response.status.isBodiless { flags.insert(.closes) }
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
        flags.insert(.closes)
        flags.remove([.withoutBody, .isOld])
        exchange?.partial = nil
        note = RequestNote(started: loop.now)
        let text = Array("\(status.code) \(status.reason)\n".utf8)
        send(PreparedResponse(status, fields: [.contentType: "text/plain", .cacheControl: "no-store"], body: text))
    }

    private var ending: [UInt8] {
        tls == nil ? ending(of: loop.endings.bare) : ending(of: loop.endings.secure)
    }

    private func ending(of forms: borrowing HeadEndings.Forms) -> [UInt8] {
        if flags.contains(.closes) {
            forms.closing
        } else if flags.contains(.isOld) {
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
    func finishAnswer() {
        guard phase != .closed else { return }
        endNote()
        if flags.contains(.closes) {
            phase = .closing
        } else if let exchange, exchange.hasBody {
            phase = .skipping
        } else {
            exchange?.body = nil
            phase = .reading
        }
    }
}

extension Disposition {
    fileprivate var wantsBody: Bool {
        if case .handle = self { true } else { false }
    }
}
