import HTTP

extension Connection {
    /// The maximum number of consecutive reads before the loop serves other connections.
    ///
    /// For TLS, also the maximum number of reads that yield no plain bytes.
    static let readsPerIteration = 8

    /// Reads requests and responds to them until the input is exhausted or a response has to wait.
    func readRequests() {
        for _ in 0..<Self.readsPerIteration {
            if let exchange, exchange.hasInput {
                let (bytes, range) = exchange.takeInput()
                process(bytes, range)
            } else {
                guard let count = receive() else { return settle() }
                guard count > 0 else { return end() }
                process(loop.input, 0..<count)
            }
            guard flush() else { return }
            guard state.readsRequests else { return settle() }
            guard remainingSendBudget > 0 else { break }
        }
        awaitInput()
        goOnLater()
    }

    /// Reads from the socket into the loop's buffer; returns zero at the end and `nil` if no input is available yet.
    func receive() -> Int? {
        guard state.mayRead else { return nil }
        if let tls { return receiveSealed(tls) }
        return loop.input.withUnsafeMutableBytes { takeReceived(into: $0) }
    }

    /// Reads raw bytes from the socket; returns zero at the end and `nil` if no input is available yet.
    func takeReceived(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        switch socket.receive(into: buffer) {
        case .moved(let count):
            if count < buffer.count { state.noteShortRead() }
            return count
        case .wouldBlock:
            state.noteEmptySocket()
            return nil
        case .failed:
            return 0
        }
    }

    /// Handles the requests in `input[range]` as long as each response is immediate, and keeps the rest.
    ///
    /// Continues after a response only once the kernel has taken everything except the loop's output. A connection thus
    /// holds the open file of one response at most, however many requests the client pipelines.
    private func process(_ input: [UInt8], _ range: Range<Int>) {
        var range = range
        requests: while !range.isEmpty, remainingSendBudget > 0, let kind = state.input {
            switch kind {
            case .head:
                readHead(input, &range)
                if let exchange, !exchange.outbox.isEmpty, !flush() { break requests }
            case .skippedBody: skip(input, &range)
            }
        }
        guard !range.isEmpty, state.keepsInput else { return }
        ensureExchange().keep(input, range)
    }

    private func readHead(_ input: [UInt8], _ range: inout Range<Int>) {
        do throws(HeadError) {
            if let exchange, var partial = exchange.partial {
                exchange.partial = nil
                switch try partial.parser.parse(input, range, into: &partial.head) {
                case .incomplete:
                    exchange.partial = partial
                    range = range.upperBound..<range.upperBound
                case .complete(let end):
                    range = end..<range.upperBound
                    identify(&partial.head)
                    respond(partial.head)
                }
            } else {
                try readWholeHead(input, &range)
            }
        } catch {
            refuse(error.status)
        }
    }

    @inline(__always)
    private func readWholeHead(_ input: [UInt8], _ range: inout Range<Int>) throws(HeadError) {
        loop.parser.reset()
        switch try loop.parser.parse(input, range, into: &loop.head) {
        case .incomplete:
            ensureExchange().partial = PartialHead(parser: loop.parser, head: loop.head)
            loop.head = RequestHead()
            range = range.upperBound..<range.upperBound
            arm(state.beginHead(at: loop.now, loop.settings.deadlines))
        case .complete(let end):
            range = end..<range.upperBound
            identify(&loop.head)
            respond(loop.head)
        }
    }

    /// Stores the client's address in the head.
    @inline(__always)
    private func identify(_ head: inout RequestHead) {
        let proxies = loop.settings.proxies
        head.client = proxies.contains(peer) ? proxies.client(behind: peer, head) : peer
    }

    /// Discards an unread body, up to a limit.
    private func skip(_ input: [UInt8], _ range: inout Range<Int>) {
        guard let exchange else { return }
        let before = range.count
        do throws(BodyError) {
            while try exchange.body?.next(input, &range) != nil {}
        } catch {
            return state.loseBody()
        }
        state.skip(before - range.count, isComplete: !exchange.hasBody)
        if !exchange.hasBody { exchange.body = nil }
    }

    /// Prepares to wait for the peer.
    private func settle() {
        if state.readsRequests, let exchange, exchange.isSpent { self.exchange = nil }
        perform(state.afterInput)
    }

    /// Sets the deadline for the peer's next input.
    func awaitInput() {
        if let moment = state.awaitInput(at: loop.now, loop.settings.deadlines) { arm(moment) }
    }
}
