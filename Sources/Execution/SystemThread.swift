import CLinux
import Glibc

/// A thread of the system, for work that must not occupy a thread of the runtime.
///
/// A dropped thread continues by itself; ``join()`` waits for its end.
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
    /// - Parameter name: The thread's name, of which the system keeps 15 bytes.
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

    /// Waits for the thread's end; blocks the caller.
    package consuming func join() {
        pthread_join(handle, nil)
        discard self
    }
}

extension SystemThread {
    /// Lowers the priority of the calling thread permanently; has no effect if the system does not permit it.
    static func lowerPriority() {
        // Linux applies this call to a thread: 0 is the calling one.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    }

    /// Runs a closure on up to `count` threads, the caller's included, and returns once it has ended on all of them.
    ///
    /// Uses fewer threads if the system refuses more: the calls take their work from a shared source. Blocks the
    /// caller.
    package static func perform(on count: Int, named name: String, _ body: @Sendable () -> Void) {
        guard count > 1 else { return body() }
        withoutActuallyEscaping(body) { body in
            guard let helper = try? SystemThread(named: name, body) else { return body() }
            perform(on: count - 1, named: name, body)
            helper.join()
        }
    }
}
