import Glibc
import Synchronization

/// A pool of threads that run jobs in first in, first out order.
///
/// Independent of the runtime's threads and of Dispatch's, which are hardly more than cores and which other work may
/// occupy. A thread is started if no thread is idle, up to a limit; all live until the pool is closed.
final class ThreadPool: Sendable {
    private struct State {
        var jobs = JobQueue()
        var threads = 0
        /// The number of threads that wait and have not been signalled.
        var idle = 0
        var isClosed = false
    }

    private let name: String
    private let limit: Int
    private let isBackground: Bool
    private let state = Mutex(State())
    private let arrivals = Semaphore()

    /// - Parameters:
    ///   - limit: The maximum number of threads; at least one.
    ///   - isBackground: Whether the threads run at a lower priority.
    init(named name: String, limit: Int, isBackground: Bool = false) {
        precondition(limit > 0)
        self.name = name
        self.limit = limit
        self.isBackground = isBackground
    }

    /// Runs a job on one of the threads.
    func add(_ job: @escaping JobQueue.Job) {
        let isThreadMissing = state.withLock { state in
            state.jobs.append(job)
            if state.idle > 0 {
                state.idle -= 1
                arrivals.signal()
                return false
            }
            guard state.threads < limit else { return false }
            state.threads += 1
            return true
        }
        if isThreadMissing { startThread() }
    }

    /// Lets the threads end once the queue is empty, without waiting for them.
    func close() {
        state.withLock { state in
            state.isClosed = true
            for _ in 0..<state.idle { arrivals.signal() }
            state.idle = 0
        }
    }

    /// Starts a thread; if the system refuses, the jobs wait for the threads that exist.
    private func startThread() {
        do throws(ThreadError) {
            _ = try SystemThread(named: name) { self.work() }
        } catch {
            let left = state.withLock { state in
                state.threads -= 1
                return state.threads
            }
            // Without any thread the job would never run and its caller would wait forever. Enqueueing cannot throw, so
            // ending the process is the only way to report it.
            guard left > 0 else { fatalError("no thread for \(name): \(error)") }
        }
    }

    private func work() {
        if isBackground { SystemThread.lowerPriority() }
        while true {
            let (job, isOver) = state.withLock { state -> (JobQueue.Job?, Bool) in
                if let job = state.jobs.removeFirst() { return (job, false) }
                if !state.isClosed { state.idle += 1 }
                return (nil, state.isClosed)
            }
            guard !isOver else { return }
            if let job { job() } else { arrivals.wait() }
        }
    }
}
