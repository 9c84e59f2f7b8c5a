/// Carries work from a loop's events, where no task runs, to the task that owns the group its children live in.
struct Spawner {
    typealias Work = @Sendable () async -> Void

    private var pending: [Work] = []
    private var consumer: UnsafeContinuation<[Work]?, Never>?
    private(set) var isFinished = false
    /// Work that was added and has not ended.
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

    /// Takes note that some work has ended.
    mutating func noteEnd() {
        running -= 1
    }

    /// Hands over what there is, as soon as there is some; `nil` once finished and empty.
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
