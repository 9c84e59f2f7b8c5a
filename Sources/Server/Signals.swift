import CLinux
import Glibc

/// The signals that ask the process to end: SIGTERM and SIGINT.
///
/// To be made once, at the start of the program, before there are other threads: they inherit that the signals are
/// blocked, and only ``wait()`` sees them.
package final class Signals: Sendable {
    package enum Signal: Sendable {
        case terminate, interrupt
    }

    /// Ends a wait from outside.
    private final class Cancellation: Sendable {
        let bell: WakeUp

        init() throws(ServerError) {
            bell = try WakeUp()
        }
    }

    private let descriptor: Descriptor

    package init() throws(ServerError) {
        signal(SIGPIPE, SIG_IGN)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        let code = pthread_sigmask(SIG_BLOCK, &set, nil)
        guard code == 0 else { throw .system(call: "pthread_sigmask", subject: "signals", code: code) }
        descriptor = Descriptor(
            owning: try SystemCall.check("signalfd", "signals") {
                signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
            })
    }

    /// The next signal; `nil` when the task is cancelled.
    ///
    /// Occupies a thread of its own meanwhile.
    package func wait() async throws(ServerError) -> Signal? {
        let cancellation = try Cancellation()
        let outcome: Result<Signal?, ServerError> = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                do throws(ServerError) {
                    try DetachedThread.start { [self] in
                        continuation.resume(returning: .success(read(unless: cancellation)))
                    }
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        } onCancel: {
            cancellation.bell.ring()
        }
        return try outcome.get()
    }

    private func read(unless cancellation: Cancellation) -> Signal? {
        while true {
            var waits = [
                pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: cancellation.bell.number, events: Int16(POLLIN), revents: 0),
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
