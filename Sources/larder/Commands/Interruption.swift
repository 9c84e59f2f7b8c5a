import Client
import Execution
import Glibc

/// The end of a command by Ctrl-C: it removes temporary files and says what is left, instead of ending in between.
///
/// The process ends by the signal, so that a shell sees it (status 130).
enum Interruption {
    /// Watches for SIGINT and SIGTERM until the process ends; call it before other threads are started.
    ///
    /// - Parameter notice: Returns what is left to do; `nil` to print nothing.
    static func watch(_ notice: @escaping @Sendable () -> String?) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // Without the thread the signals stay blocked until they are unblocked here.
        guard (try? start(notice)) == nil else { return }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    private static func start(_ notice: @escaping @Sendable () -> String?) throws(ThreadError) {
        _ = try SystemThread(named: "interruption") {
            var signals = sigset_t()
            sigemptyset(&signals)
            for signal in [SIGINT, SIGTERM] { sigaddset(&signals, signal) }
            var signal: Int32 = 0
            guard sigwait(&signals, &signal) == 0 else { return }
            if let text = notice() { Terminal.error(text) }
            ScratchFolder.removeAll()
            Glibc.signal(signal, SIG_DFL)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            kill(getpid(), signal)
        }
    }
}
