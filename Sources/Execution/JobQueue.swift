/// A first in, first out queue of jobs.
struct JobQueue {
    typealias Job = @Sendable () -> Void

    private var jobs: [Job?] = []
    private var first = 0

    mutating func append(_ job: @escaping Job) {
        jobs.append(job)
    }

    /// Removes and returns the oldest job, in amortised constant time.
    mutating func removeFirst() -> Job? {
        guard first < jobs.count else { return nil }
        let job = jobs[first].take()
        first += 1
        if first * 2 >= jobs.count {
            jobs.removeFirst(first)
            first = 0
        }
        return job
    }
}
