/// Jobs in the order in which they came.
struct JobQueue {
    typealias Job = @Sendable () -> Void

    private var jobs: [Job?] = []
    private var first = 0

    mutating func append(_ job: @escaping Job) {
        jobs.append(job)
    }

    /// The oldest one, which leaves; in constant time, taken together with those before it.
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
