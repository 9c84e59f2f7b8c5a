import CLinux
import Execution
import Glibc
import Synchronization

/// The signals that control the process, caught during the lifetime of this object: SIGTERM and SIGINT stop it, SIGHUP
/// reloads its files.
///
/// A handler catches them instead of a mask and a signalfd: a thread of the dispatch library takes every signal,
/// whatever other threads block. Only one object may exist at a time.
package final class Signals: Sendable {
    /// The request that a signal makes.
    package enum Command: Sendable, Hashable {
        case stop
        case reload
    }

    /// The state shared by the thread that reads the signals and the tasks that wait for them.
    fileprivate final class Inbox: Sendable {
        struct State {
            /// Requests that no task has received; repeated ones are merged.
            var arrived: Set<Command> = []
            var waiter: UnsafeContinuation<Command?, Never>?
        }

        let state = Mutex(State())
        /// The wake-up that ends the thread.
        let bell: WakeUp
        /// The reading end of the pipe that the handler writes to.
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

    /// Whether a stop was requested that no task has received.
    package var wantsStop: Bool { inbox.state.withLock { $0.arrived.contains(.stop) } }

    /// Waits for the next request, in one task at a time; returns `nil` if the task is cancelled.
    package func next() async -> Command? {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter in inbox.hand(to: waiter) }
        } onCancel: {
            inbox.dismiss()
        }
    }
}

extension Signals.Inbox {
    func hand(to waiter: UnsafeContinuation<Signals.Command?, Never>) {
        state.withLock { state in
            if let command = state.arrived.remove(.stop) ?? state.arrived.remove(.reload) {
                waiter.resume(returning: command)
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
        while let command = next() {
            state.withLock { state in
                if let waiter = state.waiter.take() {
                    waiter.resume(returning: command)
                } else {
                    state.arrived.insert(command)
                }
            }
        }
    }

    /// Waits for a signal; returns `nil` once the bell has rung.
    private func next() -> Signals.Command? {
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
