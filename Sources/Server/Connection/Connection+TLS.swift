import Glibc
import HTTP
import TLS

/// The destination of plain bytes.
enum Outlet {
    /// The socket of a connection without TLS.
    case plain
    /// The TLS session, which encrypts the bytes.
    case session(ConnectionTLS)
    /// The socket; the kernel encrypts.
    case kernel(KernelSeal)
    /// None: the connection is closed.
    case closed
}

extension Connection {
    var outlet: Outlet {
        guard phase != .closed else { return .closed }
        guard let tls else { return .plain }
        return tls.session.kernelSeal.map(Outlet.kernel) ?? .session(tls)
    }

    /// Whether this process encrypts the output.
    var isSealing: Bool {
        if case .session = outlet { true } else { false }
    }

    /// Whether the peer has sent `close_notify`.
    var hasPeerEnded: Bool { tls?.session.isEnded ?? false }

    /// Whether the kernel still has to send bytes that it encrypts.
    ///
    /// Ending the stream or closing the socket loses those for which there is no room; bytes that OpenSSL encrypted are
    /// kept.
    var isKernelInFlight: Bool {
        if case .kernel = outlet { socket.isInFlight } else { false }
    }

    /// Reads from the socket and decrypts into the loop's buffer; returns zero at the end and `nil` if no input is
    /// available yet.
    func receiveSealed(_ tls: ConnectionTLS) -> Int? {
        guard !tls.session.isEnded else { return 0 }
        let buffers = loop.tlsBuffers
        for _ in 0..<Self.readsPerIteration where state.mayRead {
            guard let count = takeReceived(into: buffers.incoming) else { return nil }
            guard count > 0 else { return 0 }
            let wasEstablished = tls.session.isEstablished
            let opened = loop.input.withUnsafeMutableBytes {
                tls.session.open(UnsafeRawBufferPointer(rebasing: buffers.incoming[..<count]), into: $0)
            }
            if !wasEstablished { noteHandshake(tls.session, opened) }
            let isSent = sendPipe(of: tls)
            guard phase != .closed else { return 0 }
            guard phase == .lingering || !tls.session.isOutOfKeys else {
                // A response to the request being read could not be sent.
                if phase == .handling { close() }
                return 0
            }
            switch opened {
            case .bytes(let plain) where plain > 0:
                tls.barren = 0
                // The end that came with these bytes causes no event of its own.
                if tls.session.isEnded { state.noteInput() }
                return plain
            case .bytes:
                tls.barren += count
                guard tls.barren <= Self.barrenBytes else { return 0 }
                guard isSent else { return nil }
            case .ended, .failed: return 0
            }
        }
        if state.mayRead { goOnLater() }
        return nil
    }

    /// The maximum number of encrypted bytes without plain ones.
    ///
    /// The limit exceeds what a handshake or a record takes, and is far below what a peer needs to occupy a loop with
    /// empty messages such as key updates.
    private static let barrenBytes = 128 << 10

    private func noteHandshake(_ session: TLSSession, _ opened: TLSSession.Opened) {
        if session.isEstablished {
            state.finishHandshake()
            loop.traffic.total.handshakes += 1
            if session.isResumed { loop.traffic.total.resumptions += 1 }
            if session.kernelSeal != nil { loop.traffic.total.kernelSeals += 1 }
        } else if case .failed = opened {
            loop.traffic.total.failedHandshakes += 1
        }
    }

    /// Encrypts and sends plain bytes; returns how many were encrypted, which is all of them unless the kernel takes no
    /// more.
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

    /// Encrypts and sends the next piece of a file.
    func sendSealedFile(_ file: Int32, offset: Int, count: Int, _ tls: ConnectionTLS) -> Transfer {
        guard tls.isDrained else { return .wouldBlock }
        let plain = loop.tlsBuffers.plain
        let wanted = min(count, plain.count)
        let (result, code) = SystemCall.retrying { pread(file, plain.baseAddress, wanted, off_t(offset)) }
        guard code == 0 else { return .failed(code) }
        return sendSealed(UnsafeRawBufferPointer(rebasing: plain[..<result]), tls)
    }

    /// Sends the pending encrypted bytes; returns `false` if some remain or the connection broke.
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

    /// Sends `close_notify`; returns `false` if the kernel does not take all of it yet.
    func finishSealed(_ tls: ConnectionTLS) -> Bool {
        guard tls.session.finish() else { return false }
        if case .failed = movePipe(of: tls) { return true }
        return tls.isDrained
    }

    /// Sends the messages of TLS itself; returns `false` if some remain or the connection broke.
    private func sendPipe(of tls: ConnectionTLS) -> Bool {
        if case .failed = movePipe(of: tls) {
            close()
            return false
        }
        return tls.isDrained || block()
    }

    /// Sends the contents of the pipe and keeps the rest that the kernel does not take.
    private func movePipe(of tls: ConnectionTLS) -> Transfer {
        let pipe = loop.tlsBuffers.pipe
        defer { pipe.clear() }
        let bytes = pipe.outgoing
        guard !bytes.isEmpty else { return .moved(0) }
        // Messages of TLS go behind the responses that are pending.
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
