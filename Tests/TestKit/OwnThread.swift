import Dispatch
package import Testing

/// A trait that runs each test where it may block without occupying a thread of the runtime: `@Suite(.ownThread)`.
package struct OwnThread: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    private final class Queue: TaskExecutor {
        private let queue = DispatchQueue(label: "test")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @concurrent
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Queue()) { try await function() }
    }
}

extension Trait where Self == OwnThread {
    /// Runs each test on a thread of its own.
    package static var ownThread: Self { Self() }
}
