import CLinux
import Glibc

/// A count that threads wait on while it is zero.
///
/// `@unchecked Sendable`: the pointer never changes, and the system's calls on what it points to may be made by any
/// threads at once.
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
        // A signal handler may interrupt it.
        while sem_wait(pointer) != 0 {}
    }

    /// Waits for a time at most, which a moved wall clock neither lengthens nor shortens.
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
