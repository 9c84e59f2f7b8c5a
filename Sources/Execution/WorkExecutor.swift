import Glibc

/// A pool of threads for blocking work: files, SQLite, hashing, building archives.
///
/// Event loops hand such work over and get the result back. The threads are started on demand and end with the
/// executor; work beyond their number is queued.
package final class WorkExecutor: TaskExecutor {
    private let pool: ThreadPool

    /// Twice the number of cores, because work also waits for the disk; at least four.
    package static var threadLimit: Int { max(4, 2 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// - Parameters:
    ///   - label: The threads' name, of which the system shows 15 bytes.
    ///   - threads: The maximum number of threads; at least one.
    ///   - isBackground: Whether the threads run at a lower priority.
    package init(label: String, threads: Int = WorkExecutor.threadLimit, isBackground: Bool = false) {
        pool = ThreadPool(named: label, limit: threads, isBackground: isBackground)
    }

    // Every queued job retains the executor, so none is left here.
    deinit { pool.close() }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.add { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Runs `body` on one of the threads and waits for it without blocking the caller's thread.
    package func run<Result: Sendable, Failure: Error>(
        _ body: @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let outcome: Swift.Result<Result, Failure> = await withTaskExecutorPreference(self) {
            await Self.capture(body)
        }
        return try outcome.get()
    }

    @concurrent
    private static func capture<Result: Sendable, Failure: Error>(
        _ body: @Sendable () throws(Failure) -> Result
    ) async -> Swift.Result<Result, Failure> {
        Swift.Result { () throws(Failure) in try body() }
    }
}
