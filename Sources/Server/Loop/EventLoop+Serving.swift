import HTTP
import TLS

extension EventLoop {
    /// Runs the tasks of the loop's connections as its children until the loop is drained.
    ///
    /// Runs on the loop.
    func serve() async {
        await withDiscardingTaskGroup { group in
            while let batch = await nextWork() {
                for work in batch {
                    group.addTask(executorPreference: self) {
                        await work()
                        self.spawner.noteEnd()
                    }
                }
            }
            if isCutOff { group.cancelAll() }
        }
    }

    private var isCutOff: Bool {
        guard let drainEnd else { return false }
        return drainEnd <= now
    }

    private func nextWork() async -> [Spawner.Work]? {
        await withUnsafeContinuation { continuation in
            perform { loop in loop.spawner.take(continuation) }
        }
    }

    /// Adds a connected socket to the loop.
    func adopt(_ socket: consuming Socket, from peer: PeerAddress, _ sealing: Sealing) {
        var session: TLSSession?
        if sealing != .none {
            session = beginSession(sealingIn: sealing == .kernel ? socket.number : nil)
            guard session != nil else { return releaseSlot(of: peer) }
        }
        var adopted: Socket? = socket
        let connection = table.insert { slot, generation in
            Connection(
                loop: self, socket: adopted.take() ?? Socket(owning: -1), slot: slot, generation: generation,
                peer: peer, session: session)
        }
        wheel.grow(to: table.slots)
        traffic.total.accepted += 1
        connection.open()
        if drainEnd != nil { connection.drain() }
    }

    /// The current counters.
    var currentTraffic: Traffic {
        var current = traffic.total
        current.connections = table.count
        current.waiting = waiting
        return current
    }

    /// Removes a connection whose socket is closed.
    func forget(_ slot: Int, from peer: PeerAddress) {
        wheel.clear(slot)
        table.remove(slot)
        releaseSlot(of: peer)
    }

    private func releaseSlot(of peer: PeerAddress) {
        if census.leave(from: peer) { announceSlot() }
    }

    private func beginSession(sealingIn socket: Int32?) -> TLSSession? {
        do throws(TLSError) {
            return try settings.certificates?.begin(through: tlsBuffers.pipe, sealingIn: socket)
        } catch {
            settings.report(.sessionFailed(reason: error.description))
            return nil
        }
    }

    /// Stops accepting, closes idle connections, ends polls, and lets requests finish.
    func drain() {
        guard drainEnd == nil else { return }
        drainEnd = now + settings.deadlines.drain
        acceptor?.close(on: self)
        acceptor = nil
        for connection in table.all { connection.drain() }
    }

    /// Ends a drain at once.
    func cutOff() {
        drainEnd = now
    }

    func finishDraining() {
        if isCutOff, table.count > 0 {
            settings.report(.drainCutOff(connections: table.count))
            for connection in table.all { connection.close() }
        }
        // Logs the lines of these connections before the reader of the log ends.
        traffic.pass(to: settings.accessLog)
        // A task may outlive its connection: the drain waits for it and cancels it at the deadline.
        if table.count == 0, isCutOff || spawner.running == 0, !spawner.isFinished { spawner.finish() }
    }
}

extension EventLoop: WaitingLot {
    /// The number of low bits that hold the slot: 24, more than the default limit of descriptors needs.
    private static let slotBits: UInt64 = 24

    func makeTicket(slot: Int) -> WaitTicket {
        waitNumbers += 1
        return WaitTicket(lot: self, number: waitNumbers << Self.slotBits | UInt64(slot))
    }

    func respond(_ numbers: [UInt64], with response: PreparedResponse) {
        post { loop in
            let numbers = Self.bySlot(numbers)
            loop.deliveries.append(.response(response), to: numbers)
            loop.answered.append(numbers[...])
        }
    }

    func send(_ piece: [UInt8], to numbers: [UInt64]) {
        let piece = FeedPiece(piece)
        post { loop in loop.deliveries.append(.piece(piece), to: Self.bySlot(numbers)) }
    }

    func finish(_ numbers: [UInt64]) {
        post { loop in loop.deliveries.append(.end, to: numbers) }
    }

    /// Returns numbers in the order of their slots, in which the connections and their sockets are close in memory.
    private static func bySlot(_ numbers: [UInt64]) -> [UInt64] {
        numbers.sorted { slot(of: $0) < slot(of: $1) }
    }

    private static func slot(of number: UInt64) -> Int { Int(number & (1 << slotBits - 1)) }

    /// Carries out a slice of the deliveries; after the last one, ends the waits of the answered requests.
    func deliver() {
        var left = DeliveryQueue.slice
        while left > 0, let (item, numbers) = deliveries.take(upTo: left) {
            left -= numbers.count
            for number in numbers {
                guard let connection = parked(number) else { continue }
                switch item {
                case .response(let response): connection.respondToWait(number, with: response)
                case .piece(let piece): connection.feed(piece, number)
                case .end: connection.finishFeed(number)
                }
            }
        }
        while left > 0, deliveries.isEmpty, let numbers = answered.popLast() {
            for number in numbers.prefix(left) { parked(number)?.endWait() }
            if numbers.count > left { answered.append(numbers.dropFirst(left)) }
            left -= numbers.count
        }
    }

    /// Returns the connection in the slot of a number, which may no longer be the one that was parked.
    private func parked(_ number: UInt64) -> Connection? { table[Self.slot(of: number)] }
}
