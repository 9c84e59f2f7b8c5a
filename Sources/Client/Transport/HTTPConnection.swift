import Glibc
import TLS

/// One connection for one exchange: bytes in with a buffer, bytes out, each wait with a deadline.
struct HTTPConnection: ~Copyable {
    private static let bufferSize = TLSSession.openingRoom

    private let socket: ClientSocket
    private(set) var buffer: [UInt8]
    /// What of the buffer came and was not taken yet.
    var unread = 0..<0

    init(to url: HTTPURL, trust: LazyTrust, timeouts: TransportTimeouts) throws(TransportError) {
        socket = try ClientSocket.open(url, trust: trust, timeout: timeouts.connect)
        buffer = [UInt8](repeating: 0, count: Self.bufferSize)
    }

    var peer: String { socket.peer }

    // MARK: Writing

    /// How far the writing of bytes came.
    enum Written {
        case all
        /// The peer has something to say, or is gone, before it has read all: its answer is to be read now.
        case interrupted
    }

    /// Writes all bytes unless the peer answers first.
    ///
    /// Throws `timedOut` where the peer takes nothing for `idle`.
    func write(_ bytes: UnsafeRawBufferPointer, idle: Duration) throws(TransportError) -> Written {
        var written = 0
        while written < bytes.count {
            let ready = socket.wait(for: [.readable, .writable], until: .now.advanced(by: idle))
            guard !ready.isEmpty else { throw .timedOut(peer: peer, doing: "sending") }
            if ready.contains(.readable), socket.hasAnswer { return .interrupted }
            switch socket.write(UnsafeRawBufferPointer(rebasing: bytes[written...])) {
            case .moved(let count): written += count
            case .wouldBlock: continue
            // The peer may have answered before it went: what it said can still be read.
            case .failed(EPIPE), .failed(ECONNRESET): return .interrupted
            case .failed(let code): throw .connectionEnded(peer: peer, reason: String(cString: strerror(code)))
            case .broken(let reason): throw .connectionEnded(peer: peer, reason: reason)
            }
        }
        while !socket.isDrained {
            let ready = socket.wait(for: [.readable, .writable], until: .now.advanced(by: idle))
            guard !ready.isEmpty else { throw .timedOut(peer: peer, doing: "sending") }
            if ready.contains(.readable), socket.hasAnswer { return .interrupted }
            if case .failed = socket.drain() { return .interrupted }
        }
        return .all
    }

    // MARK: Reading

    /// Whether something is unread; fills the buffer where it is empty, and is false at the connection's end.
    mutating func fill(until deadline: ContinuousClock.Instant) throws(TransportError) -> Bool {
        guard unread.isEmpty else { return true }
        while true {
            switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
            case .moved(let count):
                unread = 0..<count
                return count > 0
            case .wouldBlock:
                guard !socket.wait(for: .readable, until: deadline).isEmpty else {
                    throw .timedOut(peer: peer, doing: "waiting for its answer")
                }
            case .failed(let code):
                throw .connectionEnded(peer: peer, reason: String(cString: strerror(code)))
            case .broken(let reason):
                throw .connectionEnded(peer: peer, reason: reason)
            }
        }
    }

    /// A line without its ending, CRLF or LF alone.
    ///
    /// Throws `malformedAnswer` for a line longer than `limit` bytes.
    mutating func readLine(limit: Int, until deadline: ContinuousClock.Instant) throws(TransportError) -> [UInt8] {
        var line: [UInt8] = []
        while true {
            guard try fill(until: deadline) else {
                throw .connectionEnded(peer: peer, reason: "it was closed before the answer's end")
            }
            let end = buffer[unread].firstIndex(of: UInt8(ascii: "\n"))
            line += buffer[unread.lowerBound..<(end ?? unread.upperBound)]
            unread = (end.map { $0 + 1 } ?? unread.upperBound)..<unread.upperBound
            guard line.count <= limit else { throw .malformedAnswer("a line is longer than \(limit) bytes") }
            guard end == nil else { break }
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }
}
