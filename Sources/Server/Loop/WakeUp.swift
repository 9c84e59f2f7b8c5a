import CLinux
import Glibc

/// An eventfd by which other threads end a loop's wait.
struct WakeUp: ~Copyable {
    private let descriptor: Descriptor

    init() throws(ServerError) {
        descriptor = Descriptor(
            owning: try SystemCall.check("eventfd", "event loop") {
                eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            })
    }

    var number: Int32 { descriptor.number }

    func ring() {
        _ = eventfd_write(descriptor.number, 1)
    }

    func silence() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor.number, &count)
    }
}
