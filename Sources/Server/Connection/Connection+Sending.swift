import Glibc
import HTTP

extension Connection {
    /// The maximum number of bytes that a connection sends in one iteration of the loop, over all responses.
    private static let bytesPerIteration = 2 << 20

    /// The number of bytes that the connection may still send in this iteration.
    var remainingSendBudget: Int {
        if sendBudget.iteration != loop.iterations { sendBudget = (loop.iterations, Self.bytesPerIteration) }
        return sendBudget.bytes
    }

    /// Sends the queued bytes; returns `false` if some remain or the connection broke.
    ///
    /// Afterwards the loop's output is empty.
    func flush() -> Bool {
        guard phase != .closed else { return false }
        if loop.output.count > 0, !sendOutput() { return false }
        if let exchange, !exchange.outbox.isEmpty, !sendOutbox(of: exchange) { return false }
        guard let tls, !tls.isDrained else { return true }
        return block()
    }

    private func sendOutput() -> Bool {
        defer { loop.output.removeAll() }
        let bytes = loop.output.bytes
        switch transmit(bytes, more: exchange?.outbox.isEmpty == false) {
        case .moved(bytes.count):
            sendBudget.bytes = remainingSendBudget - bytes.count
            return true
        case .moved(let count):
            return block(keeping: Array(bytes[count...]))
        case .wouldBlock:
            return block(keeping: Array(bytes))
        case .failed:
            close()
            return false
        }
    }

    private func block(keeping rest: [UInt8]) -> Bool {
        ensureExchange().outbox.prepend(rest)
        return block()
    }

    /// Pauses sending until the kernel takes more bytes.
    func block() -> Bool {
        state.block()
        awaitOutput()
        return false
    }

    /// Sets the deadline for the peer to take some of the pending output, unless it is set.
    func awaitOutput() {
        let exchange = ensureExchange()
        guard exchange.outputPace == nil else { return }
        exchange.outputPace = OutputPace(queued: socket.unacknowledged)
        arm(state.awaitOutput(at: loop.now, loop.settings.deadlines))
    }

    /// The number of bytes that the peer has taken since the deadline was set.
    var takenOutput: Int {
        exchange?.outputPace?.taken(queued: socket.unacknowledged) ?? 0
    }

    private func sendOutbox(of exchange: Exchange) -> Bool {
        guard !state.isBlocked else { return false }
        while let item = exchange.outbox.first {
            guard remainingSendBudget > 0 else { return yield() }
            let (transfer, wanted) = send(item, atMost: remainingSendBudget)
            switch transfer {
            case .moved(let count):
                if !isSealing { exchange.outputPace?.moved += count }
                exchange.outbox.replaceFirst(with: item.dropping(count))
                sendBudget.bytes -= count
                if count < wanted, case .file = item, count == 0 {
                    loop.settings.report(.fileTruncated)
                    close()
                    return false
                }
                // A short write has filled the socket: new room causes an event.
                if count < wanted, case .bytes = item { return block() }
            case .wouldBlock:
                return block()
            case .failed:
                close()
                return false
            }
        }
        concludeUnsent()
        return true
    }

    private func send(_ item: Outbox.Item, atMost budget: Int) -> (Transfer, wanted: Int) {
        switch item {
        case .bytes(let bytes, let start):
            let transfer = bytes.withUnsafeBytes {
                transmit(UnsafeRawBufferPointer(rebasing: $0[start...]), more: false)
            }
            return (transfer, bytes.count - start)
        case .file(let region):
            let wanted = min(region.count, budget)
            return (transmitFile(region, count: wanted), wanted)
        }
    }

    private func transmit(_ bytes: UnsafeRawBufferPointer, more: Bool) -> Transfer {
        switch outlet {
        case .plain, .kernel: socket.send(bytes, more: more)
        case .session(let tls): sendSealed(bytes, tls)
        case .closed: .failed(EPIPE)
        }
    }

    private func transmitFile(_ region: FileRegion, count: Int) -> Transfer {
        switch outlet {
        case .plain, .kernel: socket.sendFile(region.descriptor, offset: region.offset, count: count)
        case .session(let tls): sendSealedFile(region.descriptor, offset: region.offset, count: count, tls)
        case .closed: .failed(EPIPE)
        }
    }

    /// Pauses sending to let the loop serve other connections, though the socket would take more bytes.
    private func yield() -> Bool {
        state.yield()
        goOnLater()
        return block()
    }

    /// Resumes sending; returns `false` if bytes remain.
    ///
    /// Once all are sent, the producer that waited for it continues.
    func unblock() -> Bool {
        if let tls, !sendRest(of: tls) { return false }
        state.unblock()
        guard flush() else { return false }
        exchange?.outputPace = nil
        arm(state.endOutput())
        exchange?.writer?.resume()
        notePiecesSent()
        return true
    }
}

extension Outbox.Item {
    /// Returns the rest after `count` bytes, or `nil` if it is empty.
    fileprivate func dropping(_ count: Int) -> Outbox.Item? {
        switch self {
        case .bytes(let bytes, let start):
            return start + count < bytes.count ? .bytes(bytes, from: start + count) : nil
        case .file(var region):
            region.offset += count
            region.count -= count
            return region.count > 0 ? .file(region) : nil
        }
    }
}
