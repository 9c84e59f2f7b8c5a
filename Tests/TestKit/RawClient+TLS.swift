import Glibc
package import TLS

extension RawClient {
    /// The TLS state of a client.
    final class Secure {
        let session: TLSSession
        let pipe: TLSPipe

        init(_ session: TLSSession, _ pipe: TLSPipe) {
            self.session = session
            self.pipe = pipe
        }
    }

    /// Begins TLS on the connection.
    ///
    /// - Parameter turn: Runs the server's response to sent bytes, if the server does not run by itself.
    package func startTLS(_ trust: TLSTrust, host: String = "127.0.0.1", proceed: () -> Void = {}) throws {
        try startTLS(proceed) { pipe throws(TLSError) in try trust.begin(with: host, through: pipe) }
    }

    /// Begins TLS on the connection as the server.
    package func startTLS(serving certificates: TLSCertificates) throws {
        try startTLS({}) { pipe throws(TLSError) in try certificates.begin(through: pipe) }
    }

    private func startTLS(_ proceed: () -> Void, _ begin: (TLSPipe) throws(TLSError) -> TLSSession) throws {
        let pipe = TLSPipe()
        let secure = Secure(try begin(pipe), pipe)
        try open([], secure)
        proceed()
        while !secure.session.isEstablished {
            try open(try receivePiece(), secure)
            proceed()
        }
        self.secure = secure
    }

    /// Sends `close_notify`, in one piece with the last bytes.
    package func finishSecurely(after text: String = "") throws {
        guard let secure else { return }
        guard Array(text.utf8).withUnsafeBytes({ secure.session.seal($0) }) else { throw Failure.malformed("sealing") }
        secure.session.finish()
        try sendPipe(secure)
    }

    func sendSealed(_ bytes: [UInt8], _ secure: Secure) throws {
        for start in stride(from: 0, to: bytes.count, by: TLSPipe.sealableBytes) {
            let end = min(start + TLSPipe.sealableBytes, bytes.count)
            guard bytes.withUnsafeBytes({ secure.session.seal(UnsafeRawBufferPointer(rebasing: $0[start..<end])) })
            else { throw Failure.malformed("sealing") }
            try sendPipe(secure)
        }
    }

    /// Decrypts received bytes into the buffer; throws `ended` if the peer has ended its stream.
    func open(_ sealed: [UInt8], _ secure: Secure) throws {
        var plain = [UInt8](repeating: 0, count: TLSSession.openingRoom)
        var start = 0
        repeat {
            let end = min(start + TLSSession.sealedBytes, sealed.count)
            let opened = sealed.withUnsafeBytes { sealed in
                plain.withUnsafeMutableBytes {
                    secure.session.open(UnsafeRawBufferPointer(rebasing: sealed[start..<end]), into: $0)
                }
            }
            start = end
            try sendPipe(secure)
            switch opened {
            case .bytes(let count): buffer += plain[..<count]
            case .ended: throw Failure.ended
            case .failed(let reason): throw Failure.malformed(reason)
            }
        } while start < sealed.count
    }

    private func sendPipe(_ secure: Secure) throws {
        let bytes = Array(secure.pipe.outgoing)
        secure.pipe.clear()
        try sendPlain(bytes)
    }
}
