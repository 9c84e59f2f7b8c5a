import CLinux
import Glibc
import HTTP
import Synchronization

/// Takes connections in on one loop and deals them out to all loops in turn.
///
/// One acceptor, not a listening socket for each loop: every loop gets its even share however few connections there
/// are, and a second server on the same port is told that the address is in use.
final class Acceptor {
    private let listeners: [Listener]
    private let loops: [EventLoop]
    private var next = 0
    /// The loop that is asked first for an idle connection to close; loops take turns.
    private var nextEviction = 0
    private var lastReport: Instant?
    private var isListening = false
    /// When accepting goes on after the system ran out of something.
    private(set) var resumption: Instant?

    private static let batch = 64
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

    func close(on loop: EventLoop) {
        suspend(on: loop)
        resumption = nil
    }

    /// Accepts what waits at one listener, a bounded number at a time: it stays readable for as long as there is more.
    func accept(listener index: Int, on loop: EventLoop) {
        for round in 0..<Self.batch {
            guard isListening else { return }
            guard loop.census.enter() else {
                // Only in the first round is it sure that somebody waits.
                guard round == 0 else { return }
                suspend(on: loop)
                reportExhaustion(on: loop)
                return evict(on: loop)
            }
            guard acceptOne(from: listeners[index], on: loop) else {
                giveUpPlace(on: loop)
                return
            }
        }
    }

    /// Gives a place back that was not used; whoever was told meanwhile that there was none is told again.
    private func giveUpPlace(on loop: EventLoop) {
        if loop.census.leave() { resume(on: loop) }
    }

    /// Has the connection closed that has been idle longest, and accepts again once it is.
    ///
    /// If none is idle, any connection that ends lets another in; idle ones are looked for again after a pause.
    private func evict(on loop: EventLoop) {
        resumption = loop.now + Self.pause
        let first = nextEviction
        nextEviction = (nextEviction + 1) % loops.count
        Eviction(among: loops, from: first).go()
    }

    /// Says once a second at most that there are as many connections as there may be: each that ends lets another in.
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
                // Closed here: other addresses have their turn.
                loop.traffic.total.refused += 1
                giveUpPlace(on: loop)
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
