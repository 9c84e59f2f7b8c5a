import Execution

extension SystemThread {
    /// Runs a closure on a new thread, which is never joined.
    static func detach(named name: String, _ run: @escaping @Sendable () -> Void) throws(ServerError) {
        do throws(ThreadError) {
            _ = try SystemThread(named: name, run)
        } catch {
            throw .system(call: "pthread_create", subject: "thread", code: error.code)
        }
    }
}
