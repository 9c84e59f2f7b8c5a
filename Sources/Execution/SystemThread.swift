import CLinux
import Glibc

/// A thread of the system, for what may not occupy one of the runtime's.
///
/// Dropped, it goes on alone; ``join()`` waits for its end.
package struct SystemThread: ~Copyable {
    private let handle: pthread_t

    private final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(_ name: String, _ run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Runs a closure on a new thread, which ends with it.
    ///
    /// - Parameter name: Shown by the system, of which it keeps 15 bytes.
    package init(named name: String, _ run: @escaping @Sendable () -> Void) throws(ThreadError) {
        var handle = pthread_t()
        let context = Unmanaged.passRetained(Body(name, run))
        let code = pthread_create(
            &handle, nil,
            { context in
                if let context {
                    let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
                    clinux_name_thread(body.name)
                    body.run()
                }
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw ThreadError(code: code)
        }
        self.handle = handle
    }

    deinit { pthread_detach(handle) }

    /// Waits for the thread's end; blocks.
    package consuming func join() {
        pthread_join(handle, nil)
        discard self
    }
}

extension SystemThread {
    /// Has others go before the calling thread, for good, where both want a core; without effect where that is not
    /// allowed.
    static func lowerPriority() {
        // Linux counts threads as processes here: 0 is the calling one.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    }

    /// Runs a closure on several threads at once, the caller's among them, and returns when it has ended on all.
    ///
    /// On fewer where the system gives no more: the closure takes its work from what they share. Blocks.
    package static func perform(on count: Int, named name: String, _ body: @Sendable () -> Void) {
        guard count > 1 else { return body() }
        withoutActuallyEscaping(body) { body in
            guard let helper = try? SystemThread(named: name, body) else { return body() }
            perform(on: count - 1, named: name, body)
            helper.join()
        }
    }
}
