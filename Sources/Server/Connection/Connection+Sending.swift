import Glibc
import HTTP

extension Connection {
    /// So much goes out before the other connections have their turn, of however many answers.
    private static let bytesPerTurn = 2 << 20

    /// What is left of that in this turn.
    var roomInTurn: Int {
        if turnRoom.turn != loop.turns { turnRoom = (loop.turns, Self.bytesPerTurn) }
        return turnRoom.bytes
    }

    /// Sends what there is to send; false when some of it has to wait, or the connection broke.
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
            turnRoom.bytes = roomInTurn - bytes.count
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

    /// Waits until the kernel takes more.
    func block() -> Bool {
        flags.insert(.blocked)
        expectRoom()
        return false
    }

    private func sendOutbox(of exchange: Exchange) -> Bool {
        guard !flags.contains(.blocked) else { return false }
        while let item = exchange.outbox.first {
            guard roomInTurn > 0 else { return yield() }
            let (transfer, wanted) = send(item, atMost: roomInTurn)
            switch transfer {
            case .moved(let count):
                if !isSealing { exchange.outputPace?.moved += count }
                exchange.outbox.replaceFirst(with: item.dropping(count))
                turnRoom.bytes -= count
                if count < wanted, case .file = item, count == 0 {
                    loop.settings.report(.fileTruncated)
                    close()
                    return false
                }
                // A short write has filled the socket: more room brings a new event.
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

    /// Lets the other connections have their turn; the socket would take more.
    private func yield() -> Bool {
        flags.insert(.yielded)
        goOnLater()
        return block()
    }

    /// Sends on what was held up; false when some of it still waits.
    ///
    /// Once all is sent, whoever waited for that goes on.
    func unblock() -> Bool {
        if let tls, !sendRest(of: tls) { return false }
        flags.remove([.blocked, .yielded])
        guard flush() else { return false }
        expectRoomNoMore()
        exchange?.writer?.resume()
        return true
    }
}

extension Outbox.Item {
    /// What is left after so many bytes; `nil` when that is nothing.
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
