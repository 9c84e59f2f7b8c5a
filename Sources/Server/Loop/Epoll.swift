import CLinux
import Glibc

/// The kernel's list of the descriptors that a loop waits for.
struct Epoll: ~Copyable {
    /// The events of a descriptor, in the kernel's bits.
    struct Events: OptionSet {
        let rawValue: UInt32

        static let readable = Events(rawValue: EPOLLIN.rawValue)
        static let writable = Events(rawValue: EPOLLOUT.rawValue)
        /// The peer has ended its stream.
        static let peerFinished = Events(rawValue: EPOLLRDHUP.rawValue)
        /// Both directions have ended.
        static let hungUp = Events(rawValue: EPOLLHUP.rawValue)
        static let failed = Events(rawValue: EPOLLERR.rawValue)
        /// Edge-triggered: reported once for each change.
        static let onChange = Events(rawValue: EPOLLET.rawValue)
    }

    private let descriptor: Descriptor
    private let buffer: UnsafeMutableBufferPointer<epoll_event>

    init() throws(ServerError) {
        descriptor = Descriptor(
            owning: try SystemCall.check("epoll_create1", "event loop") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
        )
        buffer = .allocate(capacity: 256)
    }

    deinit {
        buffer.deallocate()
    }

    /// Adds a descriptor; returns `false` if the kernel has no room for it.
    func add(_ number: Int32, _ events: Events, token: UInt64) -> Bool {
        var event = epoll_event()
        event.events = events.rawValue
        event.data.u64 = token
        return epoll_ctl(descriptor.number, EPOLL_CTL_ADD, number, &event) == 0
    }

    func remove(_ number: Int32) {
        var event = epoll_event()
        _ = epoll_ctl(descriptor.number, EPOLL_CTL_DEL, number, &event)
    }

    /// Waits for at most so many milliseconds, without a limit if negative; returns the number of events.
    func wait(milliseconds: Int32) -> Int {
        let count = epoll_wait(descriptor.number, buffer.baseAddress, Int32(buffer.count), milliseconds)
        return max(Int(count), 0)
    }

    /// The event at an index of the last ``wait(milliseconds:)``.
    @inline(__always)
    subscript(index: Int) -> (events: Events, token: UInt64) {
        (Events(rawValue: buffer[index].events), buffer[index].data.u64)
    }
}
