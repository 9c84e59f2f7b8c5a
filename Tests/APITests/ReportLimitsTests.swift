import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import Synchronization
import TestKit
import Testing

@testable import API

@Suite(.scratchDirectory, .timeLimit(.minutes(5)))
struct ReportLimitsTests {
    private func report(_ number: Int, version: String = "1.0.0", event: String = "applied") -> JSON {
        .object([
            "eventId": .string("e\(number)"), "deviceId": "d", "package": "news", "version": .string(version),
            "event": .string(event), "time": 1,
        ])
    }

    private func send(_ reports: JSON, to service: TestService) async throws -> TestResponse {
        let loop = Task { await service.reports.run() }
        defer { loop.cancel() }
        return try await service.send(
            TestRequest("POST", "/report", fields: [("Content-Type", "application/json")], body: reports.bytes()))
    }

    // MARK: What counts

    @Test func `reports of unpublished versions are acknowledged, and counted as ignored`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let response = try await send(.array([report(1), report(2, version: "9"), report(3)]), to: service)
        #expect(response.status == 202)
        #expect(response.text == #"{"accepted":2,"ignored":1}"#)
        #expect(try await service.store.reportCounts(of: PackageID("news"), in: .default).count == 1)
    }

    @Test func `a response without ignored reports does not mention them`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        #expect(try await send(report(1), to: service).text == #"{"accepted":1}"#)
    }

    @Test(.timeLimit(.minutes(5)))
    func `long bodies are parsed while all threads of publishing are busy`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let gate = Gate()
        let busy = service.occupyWork(until: gate)
        await gate.arrival()
        let reports = (0..<200).map { report($0) }
        #expect(JSON.array(reports).bytes().count > 16 << 10)
        #expect(try await send(.array(reports), to: service).status == 202)
        #expect(gate.isHolding)
        gate.open()
        for task in busy { await task.value }
    }

    // MARK: Bytes in flight

    /// Starts a request whose body has arrived except for its end.
    private func begin(
        _ bytes: Int, from client: PeerAddress, to service: TestService, until end: HeldBody
    ) throws -> Task<Response, Never> {
        let head = try TestRequest("POST", "/report").from(client).head
        guard case .handle(_, let handler) = service.application.decide(head).disposition else {
            throw Unexpected("no handler")
        }
        let body = RequestBody(length: nil, source: end.source(of: bytes))
        return Task.immediate { await handler(Request(head: head, body: body)) }
    }

    @Test func `bodies of 32 MiB may be in flight, and one more byte is refused with a time to retry`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let end = HeldBody()
        let full = try (0..<32).map { number in
            try begin(1 << 20, from: PeerAddress(ipv4: UInt32(number / 8)), to: service, until: end)
        }
        let late = try await service.send(TestRequest("POST", "/report", body: [1]).from(PeerAddress(ipv4: 9)))
        #expect(late.status == 503)
        #expect(late.code == "busy")
        #expect(late["Retry-After"] != nil)
        end.open()
        for task in full { #expect(await task.value.status == .accepted) }
        #expect(try await service.send(TestRequest("POST", "/report", body: [1])).status == 202)
    }

    @Test func `bodies of 8 MiB of one client may be in flight, and one more byte is refused, but no other client`()
        async throws
    {
        let service = try await TestService(hasLegacyKey: false)
        let end = HeldBody()
        let (one, other) = (try #require(PeerAddress("2001:db8::1")), try #require(PeerAddress("2001:db8:0:100::1")))
        let full = try (0..<8).map { _ in try begin(1 << 20, from: one, to: service, until: end) }
        let neighbour = try #require(PeerAddress("2001:db8:0:ff::1"))
        let late = try await service.send(TestRequest("POST", "/report", body: [1]).from(neighbour))
        #expect(late.status == 503 && late.code == "busy" && late["Retry-After"] != nil)
        #expect(try await service.send(TestRequest("POST", "/report", body: [1]).from(other)).status == 202)
        end.open()
        for task in full { #expect(await task.value.status == .accepted) }
        #expect(try await service.send(TestRequest("POST", "/report", body: [1]).from(one)).status == 202)
    }

    @Test func `a client without bytes in flight takes no memory of the budget`() throws {
        let budget = BodyBudget(capacity: 100, capacityPerClient: 60)
        func use(_ bytes: [Int], by client: UInt32) throws -> Int {
            var share = budget.share(for: PeerAddress(ipv4: client))
            for count in bytes { try share.take(count) }
            let clients = budget.clientCount
            share.end()
            return clients
        }
        #expect(try use([30, 30], by: 1) == 1)
        #expect(try use([0], by: 2) == 0)
        #expect(throws: PlatformError.self) { try use([60, 1], by: 3) }
        #expect(budget.clientCount == 0)
        #expect(try use([60], by: 3) == 1 && budget.clientCount == 0)
    }

    @Test func `the budget of a request that is refused or breaks off is released`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        for _ in 0..<40 {
            let long = try await service.send(
                TestRequest("POST", "/report", fields: [("Content-Type", "application/json")], body: large))
            #expect(long.status == 400)
        }
        #expect(try await service.send(TestRequest("POST", "/report", body: large)).status == 202)
    }

    /// A body of the maximum length that is no JSON.
    private var large: [UInt8] { [UInt8](repeating: 1, count: 1 << 20) }
}

/// A source of bodies whose last piece is delivered and whose end is delayed.
private final class HeldBody: Sendable {
    private let door = Door()

    func open() { door.open() }

    func source(of bytes: Int) -> Source { Source(bytes, until: self) }

    final class Source: BodySource {
        private let left: Mutex<Int>
        private let held: HeldBody

        init(_ bytes: Int, until held: HeldBody) {
            left = Mutex(bytes)
            self.held = held
        }

        func next() async throws(BodyError) -> [UInt8]? {
            let count = left.withLock { left in
                let count = min(left, 64 << 10)
                left -= count
                return count
            }
            guard count == 0 else { return [UInt8](repeating: 1, count: count) }
            await held.door.pass()
            return nil
        }
    }
}
