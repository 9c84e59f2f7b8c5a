import Glibc
import TLS

/// The TLS of one connection, with what it holds between the calls of its socket.
final class SecureChannel {
    /// The socket's, which outlives this.
    private let descriptor: Int32
    private let session: TLSSession
    private let pipe: TLSPipe
    private var sealed = [UInt8](repeating: 0, count: TLSSession.sealedBytes)
    /// Plain bytes that came before anybody read.
    private var early: [UInt8] = []
    /// Sealed bytes that the socket has not taken yet.
    private var rest: [UInt8] = []
    /// How the peer's bytes ended, once they have.
    private(set) var end: End?

    enum End {
        /// Said by the peer.
        case announced
        case failed(reason: String)
        /// The peer is not who it should be.
        case untrusted(reason: String)
    }

    init(_ session: TLSSession, through pipe: TLSPipe, over descriptor: Int32) {
        self.descriptor = descriptor
        self.session = session
        self.pipe = pipe
    }

    var isEstablished: Bool { session.isEstablished }
    var hasRest: Bool { !rest.isEmpty }
    var hasEarly: Bool { !early.isEmpty || end != nil }

    /// Has the session say what it has to say by itself.
    func speak() -> End? {
        var plain = [UInt8](repeating: 0, count: TLSSession.openingRoom)
        let opened = plain.withUnsafeMutableBytes {
            session.open(UnsafeRawBufferPointer(start: nil, count: 0), into: $0)
        }
        keepOutgoing()
        return End(opened)
    }

    /// Plain bytes into a buffer of at least ``TLSSession/openingRoom``; `moved(0)` where the peer said that it ends.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> ClientSocket.Outcome {
        if !early.isEmpty {
            buffer.copyBytes(from: early)
            defer { early = [] }
            return .moved(early.count)
        }
        while true {
            switch end {
            case .announced: return .moved(0)
            case .failed(let reason), .untrusted(let reason): return .broken(reason: reason)
            case nil: break
            }
            switch sealed.withUnsafeMutableBytes({ ClientSocket.receive(descriptor, into: $0) }) {
            case .wouldBlock: return .wouldBlock
            case .failed(let code): return .failed(code)
            case .broken(let reason): return .broken(reason: reason)
            case .moved(0):
                // The end may have been said with the last bytes.
                let opened = session.open(UnsafeRawBufferPointer(start: nil, count: 0), into: buffer)
                end = opened == .ended ? .announced : .failed(reason: "the connection was cut")
            case .moved(let count):
                let opened = sealed.withUnsafeBytes {
                    session.open(UnsafeRawBufferPointer(rebasing: $0[..<count]), into: buffer)
                }
                keepOutgoing()
                if case .bytes(let plain) = opened, plain > 0 { return .moved(plain) }
                end = End(opened)
            }
        }
    }

    /// Reads what there is without handing it out; whether there is something to be read, an end included.
    func readAhead() -> Bool {
        guard !hasEarly else { return true }
        var plain = [UInt8](repeating: 0, count: TLSSession.openingRoom)
        switch plain.withUnsafeMutableBytes({ read(into: $0) }) {
        case .moved(let count):
            early = Array(plain[..<count])
            return true
        case .wouldBlock: return false
        case .failed, .broken: return true
        }
    }

    /// Seals the next plain bytes; how many, none if the session is broken.
    func seal(_ bytes: UnsafeRawBufferPointer) -> Int {
        let count = min(bytes.count, TLSPipe.sealableBytes)
        guard session.seal(UnsafeRawBufferPointer(rebasing: bytes[..<count])) else { return 0 }
        keepOutgoing()
        return count
    }

    /// Sends what is sealed, as far as the socket takes it.
    func send() -> ClientSocket.Outcome {
        var sent = 0
        while !rest.isEmpty {
            switch rest.withUnsafeBytes({ ClientSocket.send(descriptor, $0) }) {
            case .moved(let count):
                rest.removeFirst(count)
                sent += count
            case let outcome: return outcome
            }
        }
        return .moved(sent)
    }

    private func keepOutgoing() {
        rest += pipe.outgoing
        pipe.clear()
    }
}

extension SecureChannel.End {
    /// `nil` where it goes on.
    fileprivate init?(_ opened: TLSSession.Opened) {
        switch opened {
        case .bytes: return nil
        case .ended: self = .announced
        case .failed(let reason): self = .failed(reason: reason)
        case .untrusted(let reason): self = .untrusted(reason: reason)
        }
    }
}
