import CLinux
import Glibc
import HTTP
import Synchronization

/// The acceptor of connections, which runs on one loop and deals them out to all loops round robin.
///
/// One acceptor instead of a listening socket for each loop: every loop gets an even share even of few connections, and
/// a second server on the same port gets the error that the address is in use.
final class Acceptor {
    private let listeners: [Listener]
    private let loops: [EventLoop]
    private var next = 0
    /// The index of the loop that the next eviction begins with, round robin.
    private var nextEviction = 0
    private var lastReport: Instant?
    private var isListening = false
    /// The instant at which accepting resumes after the system ran out of a resource.
    private(set) var resumption: Instant?

    private static let batch = 64
    /// The number of batches that are accepted before the acceptor is closed: more than the queue of a listener.
    private static let lastBatches = 65
    private static let pause: Duration = .milliseconds(250)

    init(_ listeners: [Listener], dealingTo loops: [EventLoop]) {
        self.listeners = listeners
        self.loops = loops
    }

    func resume(on loop: EventLoop) {
        resumption = nil
        guard !isListening else { return }
        isListening = true
        for (index, listener) in listeners.enumerated() {
            _ = loop.epoll.add(listener.number, .readable, token: UInt64(EventLoop.firstListenerSlot + index))
        }
    }

    /// Accepts the queued connections, which the system would otherwise reset, and then no more.
    func close(on loop: EventLoop) {
        for index in listeners.indices {
            var batches = 0
            while batches < Self.lastBatches, accept(listener: index, on: loop) { batches += 1 }
        }
        suspend(on: loop)
        resumption = nil
    }

    /// Accepts the queued connections of one listener, a bounded number at a time; the listener stays readable if more
    /// wait.
    ///
    /// - Returns: Whether more may wait that can be accepted now.
    @discardableResult
    func accept(listener index: Int, on loop: EventLoop) -> Bool {
        for round in 0..<Self.batch {
            guard isListening else { return false }
            guard loop.census.enter() else {
                // Only the first round is certain that a connection is queued.
                guard round == 0 else { return false }
                suspend(on: loop)
                reportExhaustion(on: loop)
                evict(on: loop)
                return false
            }
            guard acceptOne(from: listeners[index], on: loop) else {
                releaseSlot(on: loop)
                return false
            }
        }
        return true
    }

    /// Returns an unused connection slot to the census; resumes accepting if the census has refused a slot meanwhile.
    private func releaseSlot(on loop: EventLoop) {
        if loop.census.leave() { resume(on: loop) }
    }

    /// Evicts the connection that has been idle longest, which lets accepting continue.
    ///
    /// If none is idle, accepting continues when any connection ends; the search for idle ones is repeated after a
    /// pause.
    private func evict(on loop: EventLoop) {
        resumption = loop.now + Self.pause
        let first = nextEviction
        nextEviction = (nextEviction + 1) % loops.count
        Eviction(among: loops, from: first).go()
    }

    /// Reports at most once a second that the maximum number of connections is reached.
    private func reportExhaustion(on loop: EventLoop) {
        if let lastReport, loop.now < lastReport + .seconds(1) { return }
        lastReport = loop.now
        loop.settings.report(.connectionsExhausted(limit: loop.census.limit))
    }

    private func acceptOne(from listener: Listener, on loop: EventLoop) -> Bool {
        let (outcome, peer) = listener.accept()
        switch outcome {
        case .moved(let number):
            let socket = Socket(owning: Int32(number))
            guard loop.census.admit(peer) else {
                // Closed here, which leaves the capacity to other addresses.
                loop.traffic.total.refused += 1
                releaseSlot(on: loop)
                return true
            }
            deal(socket, from: peer, loop.settings.kernelTLS.sealing(at: listener.endpoint), on: loop)
            return true
        case .wouldBlock, .failed(ECONNABORTED), .failed(EPROTO):
            return false
        case .failed(let code):
            suspend(on: loop)
            resumption = loop.now + Self.pause
            loop.settings.report(.acceptFailed(reason: SystemCall.message(of: code)))
            return false
        }
    }

    private func deal(_ socket: consuming Socket, from peer: PeerAddress, _ sealing: Sealing, on loop: EventLoop) {
        let target = loops[next]
        next = (next + 1) % loops.count
        if target === loop {
            target.adopt(socket, from: peer, sealing)
        } else {
            let number = socket.release()
            target.post { $0.adopt(Socket(owning: number), from: peer, sealing) }
        }
    }

    private func suspend(on loop: EventLoop) {
        guard isListening else { return }
        isListening = false
        for listener in listeners { loop.epoll.remove(listener.number) }
    }
}
