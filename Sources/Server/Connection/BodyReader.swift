import HTTP

/// Reads the body of one request for its handler: the socket is read when a piece is asked for, and not before.
///
/// `@unchecked Sendable`: everything but ``next()`` runs on the connection's loop, and ``next()`` goes there first.
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
    /// Since when the peer is waited for.
    private var waitBegan: Instant?

    init(_ connection: Connection, limit: Int, isExpected: Bool) {
        loop = connection.loop
        self.connection = connection
        self.limit = limit
        self.isExpected = isExpected
        if let length = connection.exchange?.body?.remaining, length > limit { failure = .tooLarge(limit: limit) }
    }

    /// Whether what is left of the body cannot be told from what follows it, or is too much.
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

    /// Ends the body with an error, now and for whoever asks later.
    func fail(_ error: BodyError) {
        if failure == nil { failure = error }
        connection = nil
        resume(.failure(error))
    }

    /// Hands over the next piece, if it is asked for and there is one.
    func pump() {
        guard consumer != nil, let connection, let exchange = connection.exchange else { return }
        do throws(BodyError) {
            guard let piece = try take(connection, exchange) else {
                if waitBegan == nil { waitBegan = loop.now }
                return connection.expectInput(within: patience)
            }
            note(piece.count)
            if exchange.hasBody { connection.expectNoInput() } else { connection.expectNothing() }
            resume(.success(piece.isEmpty ? nil : piece))
        } catch {
            failure = error
            connection.expectNothing()
            resume(.failure(error))
        }
    }

    /// How long the peer is still waited for, counted from the beginning of this wait.
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

    /// The next piece; empty at the end of the body, `nil` when there is nothing yet.
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
