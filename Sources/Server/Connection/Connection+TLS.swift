import Glibc
import HTTP
import TLS

/// What a loop's connections with TLS use one after the other; empty between them.
final class SealingBench {
    let pipe = TLSPipe()
    /// Sealed bytes as they come from the socket.
    let incoming = UnsafeMutableRawBufferPointer.allocate(byteCount: TLSSession.sealedBytes, alignment: 16)
    /// Plain bytes of a file on their way into the pipe.
    let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: TLSPipe.plainBytes, alignment: 16)

    deinit {
        incoming.deallocate()
        plain.deallocate()
    }
}

extension Connection {
    /// Reads what the socket has, and opens it into the loop's buffer; zero at the end, `nil` when there is nothing yet.
    func receiveSealed(_ sealed: SealedOutput) -> Int? {
        let bench = loop.bench
        for _ in 0..<Self.readsPerTurn where flags.contains(.readable) {
            let count: Int
            switch socket.receive(into: bench.incoming) {
            case .moved(let taken): count = taken
            case .wouldBlock:
                flags.remove(.readable)
                return nil
            case .failed: return 0
            }
            guard count > 0 else { return 0 }
            if count < bench.incoming.count, !flags.contains(.peerFinished) { flags.remove(.readable) }
            let wasEstablished = isEstablished
            let opened = loop.input.withUnsafeMutableBytes {
                sealed.session.open(UnsafeRawBufferPointer(rebasing: bench.incoming[..<count]), into: $0)
            }
            if !wasEstablished { noteHandshake(sealed.session, opened) }
            let isSent = sendPipe(of: sealed)
            guard phase != .closed else { return 0 }
            switch opened {
            case .bytes(let plain) where plain > 0:
                sealed.barren = 0
                return plain
            case .bytes:
                sealed.barren += count
                guard sealed.barren <= Self.barrenBytes else { return 0 }
                guard isSent else { return nil }
            case .ended, .failed, .untrusted: return 0
            }
        }
        if flags.contains(.readable) { loop.resumeLater(slot) }
        return nil
    }

    /// So many reads without plain bytes may follow one another before the other connections have their turn.
    private static let readsPerTurn = 8
    /// So many sealed bytes without plain ones: more than a handshake and than a record, and far less than it costs a
    /// peer to keep a loop busy with messages that mean nothing, such as new keys.
    private static let barrenBytes = 128 << 10

    private func noteHandshake(_ session: TLSSession, _ opened: TLSSession.Opened) {
        if session.isEstablished {
            loop.traffic.total.handshakes += 1
            if session.isResumed { loop.traffic.total.resumptions += 1 }
        } else if case .failed = opened {
            loop.traffic.total.failedHandshakes += 1
        }
    }

    /// Seals plain bytes and sends them; how many were sealed, which is all unless the kernel takes no more.
    func sendSealed(_ bytes: UnsafeRawBufferPointer, _ sealed: SealedOutput) -> Transfer {
        guard sealed.isEmpty else { return .wouldBlock }
        var start = 0
        while start < bytes.count, sealed.isEmpty {
            let end = min(start + TLSPipe.plainBytes, bytes.count)
            guard sealed.session.seal(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) else {
                loop.bench.pipe.clear()
                return .failed(EPROTO)
            }
            start = end
            if case .failed(let code) = movePipe(of: sealed) { return .failed(code) }
        }
        return .moved(start)
    }

    /// Seals the next piece of a file and sends it.
    func sendSealedFile(_ file: Int32, offset: Int, count: Int, _ sealed: SealedOutput) -> Transfer {
        guard sealed.isEmpty else { return .wouldBlock }
        let plain = loop.bench.plain
        let wanted = min(count, plain.count)
        let (result, code) = SystemCall.retrying { pread(file, plain.baseAddress, wanted, off_t(offset)) }
        guard code == 0 else { return .failed(code) }
        return sendSealed(UnsafeRawBufferPointer(rebasing: plain[..<result]), sealed)
    }

    /// Sends what was sealed before; false when some of it still waits, or the connection broke.
    func sendRest(of sealed: SealedOutput) -> Bool {
        while !sealed.isEmpty {
            switch sealed.withBytes({ socket.send($0, more: false) }) {
            case .moved(let count):
                exchange?.outputPace?.moved += count
                sealed.drop(count)
            case .wouldBlock: return false
            case .failed:
                close()
                return false
            }
        }
        return true
    }

    /// Tells the peer that nothing more comes, as far as the kernel takes that at once.
    func finishSealed(_ sealed: SealedOutput) {
        sealed.session.finish()
        _ = movePipe(of: sealed)
    }

    /// Sends what TLS itself has to say; false when some of it has to wait, or the connection broke.
    private func sendPipe(of sealed: SealedOutput) -> Bool {
        if case .failed = movePipe(of: sealed) {
            close()
            return false
        }
        return sealed.isEmpty || block()
    }

    /// Sends what is in the pipe and keeps what the kernel does not take.
    private func movePipe(of sealed: SealedOutput) -> Transfer {
        let pipe = loop.bench.pipe
        defer { pipe.clear() }
        let bytes = pipe.outgoing
        guard !bytes.isEmpty else { return .moved(0) }
        // What TLS has to say while answers wait goes behind them.
        guard sealed.isEmpty else {
            sealed.append(bytes)
            return .moved(0)
        }
        switch socket.send(bytes, more: false) {
        case .moved(let count):
            exchange?.outputPace?.moved += count
            if count < bytes.count { sealed.append(bytes[count...]) }
            return .moved(count)
        case .wouldBlock:
            sealed.append(bytes[...])
            return .moved(0)
        case .failed(let code):
            return .failed(code)
        }
    }
}
