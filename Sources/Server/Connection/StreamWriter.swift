import HTTP

/// Takes the pieces of a streamed answer, and makes their producer wait while the peer is behind.
///
/// `@unchecked Sendable`: everything but ``write(_:)`` runs on the connection's loop, and ``write(_:)`` goes there
/// first.
final class StreamWriter: BodyWriter, @unchecked Sendable {
    private typealias Producer = UnsafeContinuation<Result<Void, any Error>, Never>

    /// The producer wrote more than it had declared.
    private struct Excess: Error {}

    private let loop: EventLoop
    private var connection: Connection?
    private let isChunked: Bool
    /// Bytes that are still to come, where the length is declared.
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

    /// What ends the body on the wire.
    var ending: [UInt8] { isChunked ? Array("0\r\n\r\n".utf8) : [] }

    /// What is wrong with a body that ends here.
    var shortage: String? {
        guard let remaining, remaining > 0 else { return nil }
        return "\(remaining) bytes less than declared"
    }

    /// Everything so far is with the kernel.
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
