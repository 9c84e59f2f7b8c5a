import HTTP

extension Connection {
    /// Starts a task that makes the response.
    func handle(
        _ head: RequestHead, bodyLimit: Int, _ handler: @escaping @Sendable (Request) async -> Response
    ) {
        beginHandling()
        let body = readableBody(of: head, limit: bodyLimit)
        loop.spawner.add { [self] in
            let response = await handler(Request(head: head, body: body))
            await finish(with: response)
        }
    }

    /// Passes control to a task; the peer has no deadline until the task reads or writes.
    func beginHandling() {
        phase = .handling
        expectNothing()
    }

    private func readableBody(of head: RequestHead, limit: Int) -> RequestBody {
        guard let exchange, exchange.hasBody else { return .empty }
        let reader = BodyReader(self, limit: limit, isExpected: head.expectsContinue)
        exchange.reader = reader
        if limit <= Deadlines.smallBodyBytes { expectEnd(within: loop.settings.deadlines.body) }
        return RequestBody(length: exchange.body?.remaining, source: reader)
    }

    /// Sends the response of the handler; runs on the loop, which the task prefers.
    private func finish(with response: Response) async {
        precondition(loop.isCurrent)
        guard phase != .closed else { return }
        if let exchange, let reader = exchange.reader {
            if reader.isBroken { flags.insert(.closes) }
            judgeUnreadBody(isExpected: reader.isExpected)
            exchange.reader = nil
            reader.fail(.disconnected)
            expectNothing()
        }
        if loop.drainEnd != nil { flags.insert(.closes) }
        if case .stream(_, let produce) = response.body, !flags.contains(.withoutBody), !response.status.isBodiless {
            let heading = writeHead(of: response)
            await stream(heading, produce)
        } else {
            send(response)
            goOn()
        }
    }

    /// Sends a streamed body; runs on the loop, in a task.
    func stream(
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
        finishAnswer()
        goOn()
    }
}
