import Glibc
import Synchronization

/// Threads of its own that run jobs in the order in which they come.
///
/// Independent of the runtime's threads and of Dispatch's, of which there are few more than cores and which others may
/// keep busy. A thread is started when a job finds none idle, up to a limit; all live until the pool is closed.
final class ThreadPool: Sendable {
    private struct State {
        var jobs = JobQueue()
        var threads = 0
        /// Threads that wait, and whom nobody woke yet.
        var idle = 0
        var isClosed = false
    }

    private let name: String
    private let limit: Int
    private let isBackground: Bool
    private let state = Mutex(State())
    private let arrivals = Semaphore()

    /// - Parameters:
    ///   - limit: Threads at most; at least one.
    ///   - isBackground: Whether others go before its threads where both want a core.
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

    /// Has the threads end once nothing is left to do; they are not waited for.
    func close() {
        state.withLock { state in
            state.isClosed = true
            for _ in 0..<state.idle { arrivals.signal() }
            state.idle = 0
        }
    }

    /// The jobs wait for the threads that are there where the system gives no more; without any, nothing would ever
    /// run them, and nobody could be told.
    private func startThread() {
        do throws(ThreadError) {
            _ = try SystemThread(named: name) { self.work() }
        } catch {
            let left = state.withLock { state in
                state.threads -= 1
                return state.threads
            }
            // With a thread left the job waits for it. With none it would never run, its caller would wait for ever, and
            // enqueueing cannot throw: ending the process is the only way to say so.
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
