import HTTP

extension Connection {
    /// The maximum number of consecutive reads before the loop serves other connections.
    ///
    /// For TLS, also the maximum number of reads that yield no plain bytes.
    static let readsPerTurn = 8

    /// Reads requests and responds to them until the input is exhausted or a response has to wait.
    func readRequests() {
        for _ in 0..<Self.readsPerTurn {
            if let exchange, exchange.hasInput {
                let (bytes, range) = exchange.takeInput()
                process(bytes, range)
            } else {
                guard let count = receive() else { return settle() }
                guard count > 0 else { return end() }
                process(loop.input, 0..<count)
            }
            guard flush() else { return }
            guard phase == .reading || phase == .skipping else { return settle() }
            guard roomInTurn > 0 else { break }
        }
        awaitInput()
        goOnLater()
    }

    /// Reads from the socket into the loop's buffer; returns zero at the end and `nil` if no input is available yet.
    func receive() -> Int? {
        guard flags.contains(.readable) else { return nil }
        if let tls { return receiveSealed(tls) }
        return loop.input.withUnsafeMutableBytes { takeReceived(into: $0) }
    }

    /// Reads raw bytes from the socket; returns zero at the end and `nil` if no input is available yet.
    func takeReceived(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        switch socket.receive(into: buffer) {
        case .moved(let count):
            // A short read has drained the socket: further bytes cause a new event.
            if count < buffer.count, !flags.contains(.peerFinished) { flags.remove(.readable) }
            return count
        case .wouldBlock:
            flags.remove(.readable)
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
        while !range.isEmpty, !flags.contains(.blocked), roomInTurn > 0 {
            if phase == .reading {
                readHead(input, &range)
                if let exchange, !exchange.outbox.isEmpty, !flush() { break }
            } else if phase == .skipping {
                skip(input, &range)
            } else {
                break
            }
        }
        guard !range.isEmpty, phase != .closed, phase != .closing, phase != .lingering else { return }
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
                    answer(partial.head)
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
            expectInput(within: loop.settings.deadlines.head)
        case .complete(let end):
            range = end..<range.upperBound
            identify(&loop.head)
            answer(loop.head)
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
            return endAfterAnswer()
        }
        skippable -= Int32(clamping: before - range.count)
        if !exchange.hasBody {
            exchange.body = nil
            exchange.isSkipTimed = false
            phase = .reading
        } else if skippable < 0 {
            endAfterAnswer()
        }
    }

    /// Marks the connection for closing after the response, because the end of the body is unknown.
    private func endAfterAnswer() {
        flags.insert(.closes)
        phase = .closing
    }

    /// Prepares to wait for the peer.
    private func settle() {
        if phase == .closing { return finishSending() }
        guard phase == .reading || phase == .skipping else { return }
        if let exchange, exchange.isSpent { self.exchange = nil }
        if loop.drainEnd != nil, phase == .reading, exchange?.partial == nil, !isNew { return finishSending() }
        awaitInput()
    }

    /// Sets the deadline for the peer's next input; a partial head already has its own.
    func awaitInput() {
        guard isEstablished else { return }
        if phase == .skipping {
            guard let exchange, !exchange.isSkipTimed else { return }
            exchange.isSkipTimed = true
            expectInput(within: loop.settings.deadlines.bodyIdle)
        } else if exchange?.partial == nil, requestsAwaited != requests {
            // Bytes without a request, for instance of TLS, do not extend the deadline.
            requestsAwaited = requests
            idleSince = loop.now
            let deadlines = loop.settings.deadlines
            expectInput(
                within: loop.drainEnd == nil ? deadlines.keepAlive : min(deadlines.keepAlive, deadlines.drainGreeting))
        }
    }

    /// Discards input until the peer closes.
    func readLeftovers() {
        // The bytes that came with TLS's end have been read already.
        if isToldTheEnd { return endLingering() }
        for _ in 0..<Self.readsPerTurn {
            guard let count = receive() else { return }
            guard count > 0 else { return endLingering() }
        }
        goOnLater()
    }
}
