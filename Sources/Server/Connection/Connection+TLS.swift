import Glibc
import HTTP
import TLS

/// What plain bytes are handed to.
enum Outlet {
    /// The socket: nobody asked for TLS.
    case plain
    /// The session, which seals them.
    case session(ConnectionTLS)
    /// The socket, since the kernel said that it seals them.
    case kernel(KernelSeal)
    /// Nothing: the connection is closed.
    case closed
}

extension Connection {
    var outlet: Outlet {
        guard phase != .closed else { return .closed }
        guard let tls else { return .plain }
        return tls.session.kernelSeal.map(Outlet.kernel) ?? .session(tls)
    }

    /// Whether what is sent is sealed here.
    var isSealing: Bool {
        if case .session = outlet { true } else { false }
    }

    /// Whether the peer said that nothing more comes from it, in words of TLS.
    var isToldTheEnd: Bool { tls?.session.isEnded ?? false }

    /// Whether the kernel still has bytes that it seals for the peer: it forgets those that it has no room to send when the
    /// stream is ended or the socket closed, as it does not forget what was sealed here.
    var isKernelInFlight: Bool {
        if case .kernel = outlet { socket.isInFlight } else { false }
    }

    /// Reads what the socket has, and opens it into the loop's buffer; zero at the end, `nil` when there is nothing yet.
    func receiveSealed(_ tls: ConnectionTLS) -> Int? {
        guard !tls.session.isEnded else { return 0 }
        let buffers = loop.tlsBuffers
        for _ in 0..<Self.readsPerTurn where flags.contains(.readable) {
            guard let count = takeReceived(into: buffers.incoming) else { return nil }
            guard count > 0 else { return 0 }
            let wasEstablished = isEstablished
            let opened = loop.input.withUnsafeMutableBytes {
                tls.session.open(UnsafeRawBufferPointer(rebasing: buffers.incoming[..<count]), into: $0)
            }
            if !wasEstablished { noteHandshake(tls.session, opened) }
            let isSent = sendPipe(of: tls)
            guard phase != .closed else { return 0 }
            guard phase == .lingering || !tls.session.isOutOfKeys else {
                // An answer to what is being read could not be sent.
                if phase == .handling { close() }
                return 0
            }
            switch opened {
            case .bytes(let plain) where plain > 0:
                tls.barren = 0
                // The end that came with them brings no event of its own.
                if tls.session.isEnded { flags.insert(.readable) }
                return plain
            case .bytes:
                tls.barren += count
                guard tls.barren <= Self.barrenBytes else { return 0 }
                guard isSent else { return nil }
            case .ended, .failed, .untrusted: return 0
            }
        }
        if flags.contains(.readable) { goOnLater() }
        return nil
    }

    /// So many sealed bytes without plain ones: more than a handshake and than a record, and far less than it costs a
    /// peer to keep a loop busy with messages that mean nothing, such as new keys.
    private static let barrenBytes = 128 << 10

    private func noteHandshake(_ session: TLSSession, _ opened: TLSSession.Opened) {
        if session.isEstablished {
            loop.traffic.total.handshakes += 1
            if session.isResumed { loop.traffic.total.resumptions += 1 }
            if session.kernelSeal != nil { loop.traffic.total.kernelSeals += 1 }
        } else if case .failed = opened {
            loop.traffic.total.failedHandshakes += 1
        }
    }

    /// Seals plain bytes and sends them; how many were sealed, which is all unless the kernel takes no more.
    func sendSealed(_ bytes: UnsafeRawBufferPointer, _ tls: ConnectionTLS) -> Transfer {
        guard tls.isDrained else { return .wouldBlock }
        var start = 0
        while start < bytes.count, tls.isDrained {
            let end = min(start + TLSPipe.sealableBytes, bytes.count)
            guard tls.session.seal(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) else {
                loop.tlsBuffers.pipe.clear()
                return .failed(EPROTO)
            }
            start = end
            if case .failed(let code) = movePipe(of: tls) { return .failed(code) }
        }
        return .moved(start)
    }

    /// Seals the next piece of a file and sends it.
    func sendSealedFile(_ file: Int32, offset: Int, count: Int, _ tls: ConnectionTLS) -> Transfer {
        guard tls.isDrained else { return .wouldBlock }
        let plain = loop.tlsBuffers.plain
        let wanted = min(count, plain.count)
        let (result, code) = SystemCall.retrying { pread(file, plain.baseAddress, wanted, off_t(offset)) }
        guard code == 0 else { return .failed(code) }
        return sendSealed(UnsafeRawBufferPointer(rebasing: plain[..<result]), tls)
    }

    /// Sends what was sealed before; false when some of it still waits, or the connection broke.
    func sendRest(of tls: ConnectionTLS) -> Bool {
        while !tls.isDrained {
            switch tls.withRest({ socket.send($0, more: false) }) {
            case .moved(let count):
                exchange?.outputPace?.moved += count
                tls.drop(count)
            case .wouldBlock: return false
            case .failed:
                close()
                return false
            }
        }
        return true
    }

    /// Tells the peer that nothing more comes; false where the kernel does not take all of that now.
    func finishSealed(_ tls: ConnectionTLS) -> Bool {
        guard tls.session.finish() else { return false }
        if case .failed = movePipe(of: tls) { return true }
        return tls.isDrained
    }

    /// Sends what TLS itself has to say; false when some of it has to wait, or the connection broke.
    private func sendPipe(of tls: ConnectionTLS) -> Bool {
        if case .failed = movePipe(of: tls) {
            close()
            return false
        }
        return tls.isDrained || block()
    }

    /// Sends what is in the pipe and keeps what the kernel does not take.
    private func movePipe(of tls: ConnectionTLS) -> Transfer {
        let pipe = loop.tlsBuffers.pipe
        defer { pipe.clear() }
        let bytes = pipe.outgoing
        guard !bytes.isEmpty else { return .moved(0) }
        // What TLS has to say while answers wait goes behind them.
        guard tls.isDrained else {
            tls.keep(bytes)
            return .moved(0)
        }
        switch socket.send(bytes, more: false) {
        case .moved(let count):
            exchange?.outputPace?.moved += count
            if count < bytes.count { tls.keep(bytes[count...]) }
            return .moved(count)
        case .wouldBlock:
            tls.keep(bytes[...])
            return .moved(0)
        case .failed(let code):
            return .failed(code)
        }
    }
}
