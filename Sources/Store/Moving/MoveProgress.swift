import Synchronization

/// The sum of the bytes that several threads complete.
final class MoveProgress: Sendable {
    private let all: Int
    private let done = Mutex(0)
    private let show: @Sendable (_ done: Int, _ all: Int) -> Void

    init(upTo all: Int, _ show: @escaping @Sendable (_ done: Int, _ all: Int) -> Void) {
        self.all = all
        self.show = show
    }

    func add(_ bytes: Int) {
        let sum = done.withLock { done in
            done += bytes
            return done
        }
        show(sum, all)
    }
}
