import CLinux
import Glibc
import Synchronization

/// The signals that ask the process to end: SIGTERM and SIGINT.
///
/// To be made once, at the start of the program, before there are other threads: they inherit that the signals are
/// blocked, and only ``wait()`` sees them.
package final class Signals: Sendable {
    package enum Signal: Sendable {
        case terminate, interrupt
    }

    /// What the thread that reads the signals shares with those who wait for them.
    fileprivate final class Inbox: Sendable {
        struct State {
            var arrived: [Signal] = []
            var waiter: UnsafeContinuation<Signal?, Never>?
        }

        let state = Mutex(State())
        /// Ends the thread.
        let bell: WakeUp
        let descriptor: Descriptor

        init(_ set: sigset_t) throws(ServerError) {
            bell = try WakeUp()
            var set = set
            descriptor = Descriptor(
                owning: try SystemCall.check("signalfd", "signals") {
                    signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
                })
        }
    }

    private let inbox: Inbox

    package init() throws(ServerError) {
        signal(SIGPIPE, SIG_IGN)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        let code = pthread_sigmask(SIG_BLOCK, &set, nil)
        guard code == 0 else { throw .system(call: "pthread_sigmask", subject: "signals", code: code) }
        let inbox = try Inbox(set)
        self.inbox = inbox
        try DetachedThread.start { inbox.read() }
    }

    deinit {
        inbox.bell.ring()
    }

    /// The next signal, waited for by one task at a time; `nil` when the task is cancelled.
    package func wait() async -> Signal? {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter in inbox.hand(to: waiter) }
        } onCancel: {
            inbox.dismiss()
        }
    }
}

extension Signals.Inbox {
    func hand(to waiter: UnsafeContinuation<Signals.Signal?, Never>) {
        state.withLock { state in
            if let signal = state.arrived.first {
                state.arrived.removeFirst()
                waiter.resume(returning: signal)
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
        while let signal = next() {
            state.withLock { state in
                if let waiter = state.waiter.take() {
                    waiter.resume(returning: signal)
                } else {
                    state.arrived.append(signal)
                }
            }
        }
    }

    private func next() -> Signals.Signal? {
        while true {
            var waits = [
                pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: bell.number, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&waits, 2, -1)
            if waits[1].revents != 0 { return nil }
            var info = signalfd_siginfo()
            let size = MemoryLayout<signalfd_siginfo>.size
            guard Glibc.read(descriptor.number, &info, size) == size else { continue }
            return info.ssi_signo == UInt32(SIGINT) ? .interrupt : .terminate
        }
    }
}
