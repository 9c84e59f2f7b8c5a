import Glibc

/// A thread of the system, for what may not occupy one of the runtime's.
enum DetachedThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Runs a closure on a thread of its own, which ends with it.
    static func start(_ run: @escaping @Sendable () -> Void) throws(ServerError) {
        var handle = pthread_t()
        let context = Unmanaged.passRetained(Body(run))
        let code = pthread_create(
            &handle, nil,
            { context in
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw .system(call: "pthread_create", subject: "thread", code: code)
        }
        pthread_detach(handle)
    }
}
