import CLinux
import Execution
import Glibc
import Synchronization

/// The signals that ask something of the process, caught for as long as this lives: SIGTERM and SIGINT to end, SIGHUP
/// to read its files again.
///
/// Caught by a handler, not by a mask and a signalfd: the dispatch library keeps a thread that takes every signal,
/// whatever the others block. There can be one at a time.
package final class Signals: Sendable {
    /// What a signal asks for.
    package enum Wish: Sendable, Hashable {
        case stop
        case reload
    }

    /// What the thread that reads the signals shares with those who wait for them.
    fileprivate final class Inbox: Sendable {
        struct State {
            /// Wishes that nobody waited for yet; one that comes again before that is one.
            var arrived: Set<Wish> = []
            var waiter: UnsafeContinuation<Wish?, Never>?
        }

        let state = Mutex(State())
        /// Ends the thread.
        let bell: WakeUp
        /// The pipe that the handler writes to.
        let arrivals: Descriptor
        let handler: Descriptor

        init() throws(ServerError) {
            bell = try WakeUp()
            var ends: [Int32] = [-1, -1]
            try SystemCall.check("pipe", "signals") { clinux_pipe(&ends) }
            arrivals = Descriptor(owning: ends[0])
            handler = Descriptor(owning: ends[1])
        }
    }

    private let inbox: Inbox

    package init() throws(ServerError) {
        signal(SIGPIPE, SIG_IGN)
        let inbox = try Inbox()
        self.inbox = inbox
        for number in Self.caught {
            let code = clinux_deliver_signal(number, inbox.handler.number)
            guard code == 0 else { throw .system(call: "sigaction", subject: "signals", code: code) }
        }
        try SystemThread.detach(named: "larder-signals") { inbox.read() }
    }

    deinit {
        for number in Self.caught { _ = clinux_deliver_signal(number, -1) }
        inbox.bell.ring()
    }

    private static let caught = [SIGTERM, SIGINT, SIGHUP]

    /// Whether a stop was wished for that nobody waited for yet.
    package var wantsStop: Bool { inbox.state.withLock { $0.arrived.contains(.stop) } }

    /// Waits for the next wish, one task at a time; `nil` when the task is cancelled.
    package func next() async -> Wish? {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter in inbox.hand(to: waiter) }
        } onCancel: {
            inbox.dismiss()
        }
    }
}

extension Signals.Inbox {
    func hand(to waiter: UnsafeContinuation<Signals.Wish?, Never>) {
        state.withLock { state in
            if let wish = state.arrived.remove(.stop) ?? state.arrived.remove(.reload) {
                waiter.resume(returning: wish)
            } else if Task.isCancelled {
                waiter.resume(returning: nil)
            } else {
                state.waiter = waiter
            }
        }
    }

    func dismiss() {
        state.withLock { $0.waiter.take()?.resume(returning: nil) }
    }

    func read() {
        while let wish = next() {
            state.withLock { state in
                if let waiter = state.waiter.take() {
                    waiter.resume(returning: wish)
                } else {
                    state.arrived.insert(wish)
                }
            }
        }
    }

    /// Waits for a signal; `nil` once the bell has rung.
    private func next() -> Signals.Wish? {
        while true {
            var waits = [
                pollfd(fd: arrivals.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: bell.number, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&waits, 2, -1)
            if waits[1].revents != 0 { return nil }
            var number: UInt8 = 0
            if Glibc.read(arrivals.number, &number, 1) == 1 {
                return Int32(number) == SIGHUP ? .reload : .stop
            }
        }
    }
}
