import Glibc

/// Threads for work that blocks: files, SQLite, hashing, building archives.
///
/// Event loops hand it over and take the result back. The threads are its own, started as they are needed, and end
/// with it; work past their number waits its turn.
package final class WorkExecutor: TaskExecutor {
    private let pool: ThreadPool

    /// Twice the cores, since work waits for the disk, too; four at least.
    package static var threadLimit: Int { max(4, 2 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// - Parameters:
    ///   - label: The threads' name; 15 bytes of it are shown.
    ///   - threads: How many there may be; at least one.
    ///   - isBackground: Whether others go before them where both want a core.
    package init(label: String, threads: Int = WorkExecutor.threadLimit, isBackground: Bool = false) {
        pool = ThreadPool(named: label, limit: threads, isBackground: isBackground)
    }

    // Each job keeps the executor: none is left by now.
    deinit { pool.close() }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.add { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Runs `body` on one of the threads and waits for it without blocking the caller's.
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
