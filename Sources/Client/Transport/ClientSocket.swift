import Glibc

/// A connected TCP socket that never blocks by itself; closed with its owner.
struct ClientSocket: ~Copyable {
    private let descriptor: Int32
    /// Who is at the other end, for messages.
    let peer: String

    /// Takes over a connected, non-blocking descriptor.
    init(owning descriptor: Int32, peer: String) {
        self.descriptor = descriptor
        self.peer = peer
    }

    deinit { close(descriptor) }

    /// What a read or a write came to.
    enum Outcome {
        case moved(Int)
        /// Nothing can be moved now.
        case wouldBlock
        case failed(Int32)
    }

    /// Reads what is there; `moved(0)` is the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return .moved(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .wouldBlock : .failed(errno)
        }
    }

    func write(_ buffer: UnsafeRawBufferPointer) -> Outcome {
        while true {
            let count = send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .moved(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .wouldBlock : .failed(errno)
        }
    }

    /// What the socket is waited for.
    struct Readiness: OptionSet {
        let rawValue: Int16
        static let readable = Readiness(rawValue: Int16(POLLIN))
        static let writable = Readiness(rawValue: Int16(POLLOUT))
    }

    /// Waits until the socket is ready for one of these; empty once the deadline is over.
    ///
    /// An error or a hang-up counts as ready: the next call will say what it is.
    func wait(for interest: Readiness, until deadline: ContinuousClock.Instant) -> Readiness {
        Self.wait(descriptor, interest, until: deadline)
    }

    static func wait(
        _ descriptor: Int32, _ interest: Readiness, until deadline: ContinuousClock.Instant
    ) -> Readiness {
        while true {
            let left = max(.zero, ContinuousClock.now.duration(to: deadline))
            // Rounded up, so that a wait never ends before its deadline.
            let milliseconds = min(left / .milliseconds(1), 3_600_000).rounded(.up)
            var entry = pollfd(fd: descriptor, events: interest.rawValue, revents: 0)
            let count = poll(&entry, 1, Int32(milliseconds))
            if count > 0 {
                let isBroken = entry.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
                return isBroken ? interest : Readiness(rawValue: entry.revents).intersection(interest)
            }
            if count == 0, ContinuousClock.now >= deadline { return [] }
        }
    }
}
