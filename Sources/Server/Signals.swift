import CLinux
import Execution
import Glibc
import Synchronization

/// The signals that ask the process to end: SIGTERM and SIGINT, caught for as long as this lives.
///
/// Caught by a handler, not by a mask and a signalfd: the dispatch library keeps a thread that takes every signal,
/// whatever the others block. There can be one at a time.
package final class Signals: Sendable {
    /// What the thread that reads the signals shares with those who wait for them.
    fileprivate final class Inbox: Sendable {
        struct State {
            /// Signals that nobody waited for yet.
            var arrived = 0
            var waiter: UnsafeContinuation<Bool, Never>?
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

    private static let caught = [SIGTERM, SIGINT]

    /// Waits for the next signal, one task at a time; false when the task is cancelled.
    package func wait() async -> Bool {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter in inbox.hand(to: waiter) }
        } onCancel: {
            inbox.dismiss()
        }
    }
}

extension Signals.Inbox {
    func hand(to waiter: UnsafeContinuation<Bool, Never>) {
        state.withLock { state in
            if state.arrived > 0 {
                state.arrived -= 1
                waiter.resume(returning: true)
            } else if Task.isCancelled {
                waiter.resume(returning: false)
            } else {
                state.waiter = waiter
            }
        }
    }

    func dismiss() {
        state.withLock { $0.waiter.take()?.resume(returning: false) }
    }

    func read() {
        while next() {
            state.withLock { state in
                if let waiter = state.waiter.take() {
                    waiter.resume(returning: true)
                } else {
                    state.arrived += 1
                }
            }
        }
    }

    /// Waits for a signal; false once the bell has rung.
    private func next() -> Bool {
        while true {
            var waits = [
                pollfd(fd: arrivals.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: bell.number, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&waits, 2, -1)
            if waits[1].revents != 0 { return false }
            var number: UInt8 = 0
            if Glibc.read(arrivals.number, &number, 1) == 1 { return true }
        }
    }
}
