/// One thread for the work of one actor that blocks, such as a database connection.
///
/// Started by the first job, it ends with the executor.
package final class SerialWorkExecutor: SerialExecutor {
    private let pool: ThreadPool

    /// - Parameter label: The thread's name; 15 bytes of it are shown.
    package init(label: String) {
        pool = ThreadPool(named: label, limit: 1)
    }

    // Each job keeps the executor: none is left by now.
    deinit { pool.close() }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.add { [self] in
            job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }
}
