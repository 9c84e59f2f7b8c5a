import Glibc

/// A connected TCP socket that never blocks by itself, with TLS or without; closed with its owner.
struct ClientSocket: ~Copyable {
    private let descriptor: Int32
    /// Who is at the other end, for messages.
    let peer: String
    private var channel: SecureChannel?

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
        /// The system's number for why not.
        case failed(Int32)
        /// TLS does not let it go on.
        case broken(reason: String)
    }

    /// Reads what is there into a buffer of at least ``TLSSession/openingRoom``; `moved(0)` is the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        guard let channel else { return Self.receive(descriptor, into: buffer) }
        let outcome = channel.read(into: buffer)
        _ = channel.send()
        return outcome
    }

    /// Whether there is something to be read, now that the socket is readable: TLS has words of its own.
    var hasAnswer: Bool { channel?.readAhead() ?? true }

    /// Whether nothing waits to be sent.
    var isDrained: Bool { channel?.hasRest != true }

    /// Sends what waits to be sent; that without TLS nothing does.
    func drain() -> Outcome { channel?.send() ?? .moved(0) }

    /// Takes of the bytes what it can; with TLS some of that may wait until ``drain()``.
    func write(_ buffer: UnsafeRawBufferPointer) -> Outcome {
        guard let channel else { return Self.send(descriptor, buffer) }
        let earlier = channel.send()
        guard case .moved = earlier else { return earlier }
        let count = channel.seal(buffer)
        guard count > 0 else { return .failed(EPIPE) }
        let sent = channel.send()
        if case .failed = sent { return sent }
        return .moved(count)
    }

    /// Puts TLS between the socket and whoever uses it, once the peer has shown that it is the host.
    mutating func secure(
        timeout: Duration, _ begin: (_ descriptor: Int32) throws(TransportError) -> SecureChannel
    ) throws(TransportError) {
        let begun = try begin(descriptor)
        let deadline = ContinuousClock.now.advanced(by: timeout)
        if let end = begun.speak() { throw refusal(end) }
        channel = begun
        while true {
            if case .failed(let code) = drain() {
                throw .connectionEnded(peer: peer, reason: String(cString: strerror(code)))
            }
            if begun.isEstablished, isDrained { return }
            guard !wait(for: isDrained ? .readable : [.readable, .writable], until: deadline).isEmpty else {
                throw .timedOut(peer: peer, doing: "agreeing on TLS")
            }
            guard !begun.isEstablished, begun.readAhead(), let end = begun.end else { continue }
            // The alert that says why.
            _ = drain()
            throw refusal(end)
        }
    }

    private func refusal(_ end: SecureChannel.End) -> TransportError {
        switch end {
        case .untrusted(let reason): .untrusted(peer: peer, reason: reason)
        case .failed(let reason): .connectionEnded(peer: peer, reason: "TLS cannot begin: \(reason)")
        case .announced: .connectionEnded(peer: peer, reason: "it was closed before TLS could begin")
        }
    }

    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return .moved(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .wouldBlock : .failed(errno)
        }
    }

    static func send(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Outcome {
        while true {
            let count = Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
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
