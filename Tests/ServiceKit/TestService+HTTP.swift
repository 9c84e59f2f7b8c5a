import API
package import HTTP
import Synchronization
import Testing

extension TestService {
    /// Sends a request and returns the response.
    package func send(_ request: TestRequest) async throws -> TestResponse {
        switch try await ask(request) {
        case .answered(let response): return response
        case .waiting: throw Unexpected("\(request.method) \(request.target) waits")
        }
    }

    package func get(_ target: String, _ fields: (name: String, value: String)...) async throws -> TestResponse {
        try await send(TestRequest("GET", target, fields: fields))
    }

    /// Sends a request, and parks it if it waits.
    package func ask(_ request: TestRequest, lot: TestLot = TestLot()) async throws -> TestOutcome {
        let head = try request.head
        let isHead = head.method == .head
        switch application.decide(head).disposition {
        case .prepared(let response): return .answered(TestResponse(response, isHead: isHead))
        case .respond(let response): return .answered(try TestResponse(response, isHead: isHead))
        case .handle(let limit, let handler):
            let source = TestBody(request.body ?? [], pieceSize: request.pieceSize, limit: limit)
            let body = request.body.map { RequestBody(length: $0.count, source: source) } ?? .empty
            let made = await handler(Request(head: head, body: body))
            // The server produces no stream for HEAD.
            let sent = isHead ? made : try await collected(made)
            var response = try TestResponse(sent, isHead: isHead)
            response.isBodyUntouched = source.isUntouched
            return .answered(response)
        case .wait(let waiting, let duration):
            let ticket = lot.park()
            if let response = lot.begin(waiting, ticket) {
                return .answered(try TestResponse(response, isHead: isHead))
            }
            return .waiting(TestWait(waiting: waiting, ticket: ticket, lot: lot, duration: duration))
        }
    }

    /// Returns the response with the bytes of a streamed body, which the client takes at once.
    private func collected(_ response: Response) async throws -> Response {
        guard case .stream(let length, let produce) = response.body else { return response }
        let taker = StreamTaker()
        try await produce(taker)
        var response = response
        response.body = .bytes(taker.bytes)
        try #require(length == nil || length == taker.bytes.count)
        return response
    }

    /// Opens an event stream.
    package func follow(_ request: TestRequest, lot: TestLot = TestLot()) async throws -> TestStream {
        let head = try request.head
        let response: Response
        switch application.decide(head).disposition {
        case .respond(let decided): response = decided
        case .handle(_, let handler): response = await handler(Request(head: head, body: .empty))
        case .prepared, .wait: throw Unexpected("\(request.target) is no stream")
        }
        guard case .feed(let feed) = response.body else { throw Unexpected("\(request.target): \(response.status)") }
        let ticket = lot.park()
        return TestStream(ticket: ticket, lot: lot, response: response, first: lot.open(feed, ticket.number))
    }

    /// Sends a request that has to wait.
    package func wait(_ target: String, lot: TestLot = TestLot()) async throws -> TestWait {
        switch try await ask(TestRequest("GET", target), lot: lot) {
        case .answered(let response): throw Unexpected("\(target) was answered: \(response.status) \(response.text)")
        case .waiting(let wait): return wait
        }
    }
}

/// A client of a streamed body.
private final class StreamTaker: BodyWriter {
    private let taken = Mutex<[UInt8]>([])

    var bytes: [UInt8] { taken.withLock { $0 } }

    func write(_ piece: [UInt8]) async throws { taken.withLock { $0 += piece } }
}

/// An event stream as a connection sees it.
package struct TestStream: Sendable {
    let ticket: WaitTicket
    let lot: TestLot
    let response: Response
    let first: [UInt8]

    /// Returns a field of the response.
    package subscript(_ name: FieldName) -> String? { response.fields[name] }

    /// Everything that was sent.
    package var text: String { String(decoding: first + lot.pieces(of: ticket.number), as: UTF8.self) }

    /// The names of the events in their order.
    package var events: [String] { values(of: "event") }

    /// The ids in their order, that of the beginning included.
    package var ids: [String] { values(of: "id") }

    /// Whether the server has ended the stream.
    package var hasEnded: Bool { lot.hasEnded(ticket.number) }

    /// Disconnects the client.
    package func leave() { lot.leave(ticket.number) }

    /// Stops or continues to take what is sent.
    package func stall(_ isStalled: Bool) { lot.stall(ticket.number, isStalled) }

    private func values(of field: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("\(field): ") }.map { String($0.dropFirst(field.count + 2)) }
    }
}

/// The outcome of a request.
package enum TestOutcome: Sendable {
    case answered(TestResponse)
    case waiting(TestWait)
}

/// A waiting request as a connection sees it.
package struct TestWait: Sendable {
    let waiting: any Waiting
    let ticket: WaitTicket
    let lot: TestLot
    /// The maximum time of the wait.
    package let duration: Duration

    /// The response, if there is one.
    package var response: TestResponse? { lot.response(to: ticket.number) }

    /// Waits for the response.
    package func awaitResponse() async -> TestResponse { await lot.waitForResponse(to: ticket.number) }

    /// Ends the wait at its deadline; returns the response, or an earlier one.
    package func expire() throws -> TestResponse {
        try response ?? expireFirst()
    }

    /// Ends the wait at its deadline before a response that is being made.
    package func expireFirst() throws -> TestResponse {
        try TestResponse(lot.expire(waiting, ticket.number), isHead: false)
    }

    /// Disconnects the client.
    package func leave() { lot.leave(ticket.number) }
}
