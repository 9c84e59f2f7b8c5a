import Domain
import HTTP
import ServiceKit
import TestKit
import Testing

@testable import API

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct UnsharedDocumentTests {
    private let one = PeerAddress(ipv4: 0x0A00_0001)
    private let other = PeerAddress(ipv4: 0x0A00_0002)

    @Test func `a budget is used up to its last byte, by all and by one client, and given back`() {
        let budget = ResponseBudget(capacity: 100, capacityPerClient: 60)
        var first = budget.lease(60, for: one)
        #expect(first != nil)
        #expect(budget.lease(1, for: one) == nil)
        #expect(budget.lease(41, for: other) == nil)
        let second = budget.lease(40, for: other)
        #expect(second != nil)
        #expect(budget.lease(1, for: other) == nil)
        first = nil
        let third = budget.lease(60, for: one)
        #expect(third != nil)
        withExtendedLifetime((first, second, third)) {}
    }

    @Test func `networks of IPv6 count as one client`() throws {
        let budget = ResponseBudget(capacity: 100, capacityPerClient: 60)
        let lease = budget.lease(60, for: try #require(PeerAddress("2001:db8::1")))
        #expect(budget.lease(1, for: try #require(PeerAddress("2001:db8::2"))) == nil)
        #expect(budget.lease(1, for: try #require(PeerAddress("2001:db8:0:ff::2"))) == nil)
        #expect(budget.lease(1, for: try #require(PeerAddress("2001:db8:0:100::2"))) != nil)
        withExtendedLifetime(lease) {}
    }

    @Test func `a client with an unused budget gets a response of any length, within the shared budget`() {
        let budget = ResponseBudget(capacity: 100, capacityPerClient: 60)
        var lease = budget.lease(200, for: one)
        #expect(lease != nil)
        #expect(budget.lease(1, for: one) == nil && budget.lease(1, for: other) == nil)
        lease = nil
        lease = budget.lease(61, for: one)
        #expect(lease != nil)
        #expect(budget.lease(1, for: one) == nil && budget.lease(40, for: other) == nil)
        #expect(throws: Never.self) { try budget.requireRoom(for: other) }
        #expect(throws: PlatformError.self) { try budget.requireRoom(for: one) }
        withExtendedLifetime(lease) {}
    }

    /// Requests a document; the response counts as unsent as long as the test holds it.
    private func response(_ target: String, from client: PeerAddress, on service: TestService) async throws -> Response
    {
        let head = try TestRequest("GET", target).from(client).head
        switch service.application.decide(head).disposition {
        case .handle(_, let handler): return await handler(Request(head: head, body: .empty))
        case .prepared(let response): return response.response
        case .respond(let response): return response
        case .wait: throw Unexpected("\(target) waits")
        }
    }

    @Test func `unshared documents are refused past one client's budget, and shared ones are not`()
        async throws
    {
        let service = try await TestService(hasLegacyKey: false)
        let packages = (0..<9).map { "package-\($0)" }
        for package in packages { try await service.ship("1.0.0", of: package) }
        func target(_ mask: Int) -> String {
            "/config?only="
                + packages.indices.filter { mask >> $0 & 1 == 1 }.map { packages[$0] }.joined(separator: ",")
        }
        // The maximum number of cached documents, which are shared.
        let kept = ConfigCache.keptCount
        for mask in 1...kept {
            guard case .bytes = try await response(target(mask), from: one, on: service).body else {
                throw Unexpected("document \(mask) is not kept")
            }
        }
        var held: [Response] = []
        var bytes = 0
        var refused: Response?
        while refused == nil {
            let next = try await response(target(511), from: one, on: service)
            guard case .stream(let length?, _) = next.body else {
                refused = next
                break
            }
            bytes += length
            held.append(next)
        }
        let each = bytes / held.count
        let most = ResponseBudget.standardCapacityPerClient
        #expect(bytes <= most && bytes + each > most)
        #expect(refused?.status == .serviceUnavailable && refused?.fields[.retryAfter] == "5")
        // Other clients, shared documents and bodiless responses are unaffected.
        #expect(try await response(target(511), from: other, on: service).status == .ok)
        #expect(try await response(target(1), from: one, on: service).status == .ok)
        #expect(try await response("/config", from: one, on: service).status == .ok)
        held.removeLast()
        #expect(try await response(target(511), from: one, on: service).status == .ok)
    }
}
