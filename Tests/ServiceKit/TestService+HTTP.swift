import API
import HTTP
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
            let sent = try await collected(handler(Request(head: head, body: body)))
            var response = try TestResponse(sent, isHead: isHead)
            response.isBodyUntouched = source.isUntouched
            return .answered(response)
        case .wait(let waiting, let duration):
            let ticket = lot.park()
            if let response = waiting.begin(ticket) { return .answered(try TestResponse(response, isHead: isHead)) }
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
        try response ?? TestResponse(waiting.expire(), isHead: false)
    }

    /// Ends the wait at its deadline before a response that is being made.
    package func expireFirst() throws -> TestResponse { try TestResponse(waiting.expire(), isHead: false) }

    /// Disconnects the client.
    package func leave() { waiting.cancel() }
}
