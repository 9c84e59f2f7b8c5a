/// A thread for the blocking work of one actor, such as a database connection.
///
/// The first job starts the thread, which ends with the executor.
package final class SerialWorkExecutor: SerialExecutor {
    private let pool: ThreadPool

    /// - Parameter label: The thread's name, of which the system shows 15 bytes.
    package init(label: String) {
        pool = ThreadPool(named: label, limit: 1)
    }

    // Every queued job retains the executor, so none is left here.
    deinit { pool.close() }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.add { [self] in
            job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }
}
