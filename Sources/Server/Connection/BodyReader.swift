import HTTP

/// The reader of one request's body for its handler; it reads the socket only on demand.
///
/// `@unchecked Sendable`: everything except ``next()`` runs on the connection's loop, and ``next()`` switches to it
/// first.
final class BodyReader: BodySource, @unchecked Sendable {
    private typealias Consumer = UnsafeContinuation<Result<[UInt8]?, BodyError>, Never>

    private let loop: EventLoop
    private var connection: Connection?
    private let limit: Int
    /// Whether the peer still waits for `100 Continue`.
    private(set) var isExpected: Bool
    private var received = 0
    private var failure: BodyError?
    private var consumer: Consumer?
    private var pace = InputPace()
    /// The instant at which the current wait for the peer began.
    private var waitBegan: Instant?

    init(_ connection: Connection, limit: Int, isExpected: Bool) {
        loop = connection.loop
        self.connection = connection
        self.limit = limit
        self.isExpected = isExpected
        if let length = connection.exchange?.body?.remaining, length > limit { failure = .tooLarge(limit: limit) }
    }

    /// Whether reading has failed, so that the end of the body is unknown or too far away.
    var isBroken: Bool { failure != nil }

    func next() async throws(BodyError) -> [UInt8]? {
        let result = await withUnsafeContinuation { (consumer: Consumer) in
            loop.perform { [self] _ in
                precondition(self.consumer == nil, "one task at a time")
                self.consumer = consumer
                begin()
            }
        }
        return try result.get()
    }

    /// Ends the body with an error, for the current call and all later ones.
    func fail(_ error: BodyError) {
        if failure == nil { failure = error }
        connection = nil
        resume(.failure(error))
    }

    /// Delivers the next piece if the handler waits for one and it is available.
    func pump() {
        guard consumer != nil, let connection, let exchange = connection.exchange else { return }
        do throws(BodyError) {
            guard let piece = try take(connection, exchange) else {
                if waitBegan == nil { waitBegan = loop.now }
                return connection.arm(connection.state.awaitPiece(until: loop.now + patience))
            }
            note(piece.count)
            connection.arm(connection.state.notePiece(isLast: !exchange.hasBody))
            resume(.success(piece.isEmpty ? nil : piece))
        } catch {
            failure = error
            connection.arm(connection.state.endOperation())
            resume(.failure(error))
        }
    }

    /// The time that the peer still has, counted from the beginning of this wait.
    private var patience: Duration {
        let waiting = waitBegan.map { loop.now - $0 } ?? .zero
        return loop.settings.deadlines.bodyIdle - pace.waited - waiting
    }

    private func note(_ count: Int) {
        let deadlines = loop.settings.deadlines
        pace.note(
            count, after: waitBegan.map { loop.now - $0 } ?? .zero, least: deadlines.least(in: deadlines.bodyIdle))
        waitBegan = nil
    }

    private func begin() {
        if let failure { return resume(.failure(failure)) }
        guard let connection else { return resume(.failure(.disconnected)) }
        if isExpected {
            isExpected = false
            if connection.exchange?.hasInput == false {
                connection.put(Self.interim)
                guard connection.flush() || connection.phase != .closed else { return }
            }
        }
        pump()
    }

    private static let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private func resume(_ result: Result<[UInt8]?, BodyError>) {
        guard let consumer else { return }
        self.consumer = nil
        consumer.resume(returning: result)
    }

    /// Returns the next piece: empty at the end of the body, `nil` if no input is available yet.
    private func take(_ connection: Connection, _ exchange: Exchange) throws(BodyError) -> [UInt8]? {
        while exchange.hasBody {
            if exchange.hasInput {
                let (bytes, range) = exchange.takeInput()
                let piece = try decode(bytes, range, exchange)
                if !piece.isEmpty { return piece }
            } else {
                guard let count = connection.receive() else { return nil }
                guard count > 0 else { throw .disconnected }
                let piece = try decode(connection.loop.input, 0..<count, exchange)
                if !piece.isEmpty { return piece }
            }
        }
        return []
    }

    private func decode(
        _ bytes: [UInt8], _ range: Range<Int>, _ exchange: Exchange
    ) throws(BodyError) -> [UInt8] {
        var range = range
        var piece: [UInt8] = []
        while let found = try exchange.body?.next(bytes, &range) {
            piece += bytes[found]
        }
        if !range.isEmpty { exchange.keep(bytes, range) }
        received += piece.count
        guard received <= limit else { throw .tooLarge(limit: limit) }
        return piece
    }
}
