import Dispatch

/// One thread at a time for the work of one actor that blocks, such as a database connection.
package final class SerialWorkExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameter label: Shown in debuggers.
    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in
            job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }

    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
