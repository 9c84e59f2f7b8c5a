import Dispatch
import Testing

/// Runs each test where it may block without occupying one of the runtime's threads: `@Suite(.ownThread)`.
struct OwnThread: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    private final class Queue: TaskExecutor {
        private let queue = DispatchQueue(label: "end-to-end")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @concurrent
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Queue()) { try await function() }
    }
}

extension Trait where Self == OwnThread {
    static var ownThread: Self { Self() }
}
