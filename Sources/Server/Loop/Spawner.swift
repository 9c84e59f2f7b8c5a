/// A queue that passes work from a loop's events, which run outside of tasks, to the task that owns the child tasks.
struct Spawner {
    typealias Work = @Sendable () async -> Void

    private var pending: [Work] = []
    private var consumer: UnsafeContinuation<[Work]?, Never>?
    private(set) var isFinished = false
    /// The number of added pieces of work that have not ended.
    private(set) var running = 0

    mutating func add(_ work: @escaping Work) {
        running += 1
        if let consumer {
            self.consumer = nil
            consumer.resume(returning: [work])
        } else {
            pending.append(work)
        }
    }

    /// Counts the end of a piece of work.
    mutating func noteEnd() {
        running -= 1
    }

    /// Delivers the queued work as soon as there is any; delivers `nil` once finished and empty.
    mutating func take(_ consumer: UnsafeContinuation<[Work]?, Never>) {
        if !pending.isEmpty {
            consumer.resume(returning: pending)
            pending = []
        } else if isFinished {
            consumer.resume(returning: nil)
        } else {
            self.consumer = consumer
        }
    }

    mutating func finish() {
        isFinished = true
        consumer?.resume(returning: pending.isEmpty ? nil : pending)
        if consumer != nil { pending = [] }
        consumer = nil
    }
}
