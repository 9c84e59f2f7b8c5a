import CLinux
import Glibc

/// A counting semaphore for threads.
///
/// `@unchecked Sendable`: the pointer never changes, and the system allows any threads to call its functions on the
/// semaphore at once.
final class Semaphore: @unchecked Sendable {
    private let pointer = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        let code = sem_init(pointer, 0, 0)
        precondition(code == 0, "a semaphore at zero is valid")
    }

    deinit {
        sem_destroy(pointer)
        pointer.deallocate()
    }

    func signal() {
        sem_post(pointer)
    }

    func wait() {
        // A signal handler may interrupt the wait.
        while sem_wait(pointer) != 0 {}
    }

    /// Waits for at most `duration`, regardless of changes to the wall clock.
    func wait(upTo duration: Duration) {
        var moment = timespec()
        clock_gettime(CLOCK_MONOTONIC, &moment)
        let (seconds, attoseconds) = (max(duration, .zero)).components
        let nanoseconds = moment.tv_nsec + Int(attoseconds / 1_000_000_000)
        moment.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        moment.tv_nsec = nanoseconds % 1_000_000_000
        while clinux_wait(pointer, &moment) != 0, errno == EINTR {}
    }
}
