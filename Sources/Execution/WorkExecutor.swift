import Dispatch

/// Threads for work that blocks: files, SQLite, hashing, building archives.
///
/// Event loops hand it over and take the result back.
package final class WorkExecutor: TaskExecutor {
    private let queue: DispatchQueue

    /// - Parameter label: Shown in debuggers.
    package init(label: String) {
        queue = DispatchQueue(label: label, attributes: .concurrent)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in
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
