import HTTP

/// The writer of a streamed response, which makes its producer wait while the peer is behind.
///
/// `@unchecked Sendable`: everything except ``write(_:)`` runs on the connection's loop, and ``write(_:)`` switches to
/// it first.
final class StreamWriter: BodyWriter, @unchecked Sendable {
    private typealias Producer = UnsafeContinuation<Result<Void, any Error>, Never>

    /// The error of a producer that writes more than the declared length.
    private struct Excess: Error {}

    private let loop: EventLoop
    private var connection: Connection?
    private let isChunked: Bool
    /// The number of bytes still to come if the length is declared.
    private var remaining: Int?
    private var failure: BodyError?
    private var producer: Producer?

    init(_ connection: Connection, _ heading: BodyHeading) {
        loop = connection.loop
        self.connection = connection
        isChunked = heading == .chunked
        if case .length(let length) = heading { remaining = length }
    }

    func write(_ piece: [UInt8]) async throws {
        guard !piece.isEmpty else { return }
        let result = await withUnsafeContinuation { (producer: Producer) in
            loop.perform { [self] _ in
                precondition(self.producer == nil, "one task at a time")
                self.producer = producer
                begin(piece)
            }
        }
        try result.get()
    }

    /// The end of the body on the wire.
    var ending: [UInt8] { isChunked ? Array("0\r\n\r\n".utf8) : [] }

    /// The error text of a body that ends here before its declared length; `nil` if it is complete.
    var shortage: String? {
        guard let remaining, remaining > 0 else { return nil }
        return "\(remaining) bytes fewer than declared"
    }

    /// Resumes the producer once the kernel has taken everything.
    func resume() {
        resume(.success(()))
    }

    func fail(_ error: BodyError) {
        if failure == nil { failure = error }
        connection = nil
        resume(.failure(error))
    }

    private func begin(_ piece: [UInt8]) {
        if let failure { return resume(.failure(failure)) }
        guard let connection, connection.exchange?.writer === self else {
            return resume(.failure(BodyError.disconnected))
        }
        if let remaining {
            guard piece.count <= remaining else { return resume(.failure(Excess())) }
            self.remaining = remaining - piece.count
        }
        if isChunked { connection.put(Array("\(String(piece.count, radix: 16))\r\n".utf8)) }
        connection.put(piece)
        if isChunked { connection.put([0x0D, 0x0A]) }
        if connection.flush() { resume() }
    }

    private func resume(_ result: Result<Void, any Error>) {
        guard let producer else { return }
        self.producer = nil
        producer.resume(returning: result)
    }
}
