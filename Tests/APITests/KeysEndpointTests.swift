import Domain
import Ground
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct KeysEndpointTests {
    /// Returns a service that fails to store another key document, and a counter of its attempts.
    private func full() async throws -> (service: TestService, attempts: Counter, document: [UInt8]) {
        let service = try await TestService(hasLegacyKey: false)
        let document = try await service.get("/keys.json").body
        let attempts = Counter()
        service.store.setBefore(.saveKeyDocument) { () throws(PlatformError) in
            attempts.increment()
            throw PlatformError(.storageFull, "full")
        }
        return (service, attempts, document)
    }

    @Test func `a document that cannot be renewed is still served, and the renewal is retried once a minute`()
        async throws
    {
        let (service, attempts, document) = try await full()
        service.clock.advance(milliseconds: KeyDocument.renewalMilliseconds)
        for (passed, expected) in [(0, 1), (0, 1), (59_999, 1), (1, 2), (0, 2)] {
            service.clock.advance(milliseconds: Int64(passed))
            #expect(try await service.get("/keys.json").body == document)
            #expect(attempts.value == expected)
        }
        service.store.setBefore(.saveKeyDocument, nil)
        service.clock.advance(milliseconds: 59_999)
        #expect(try await service.get("/keys.json").body == document)
        service.clock.advance(milliseconds: 1)
        #expect(try await service.get("/keys.json").body != document)
    }

    @Test func `if the clock is set back, the document is still served in the same way`() async throws {
        let (service, attempts, document) = try await full()
        service.clock.advance(milliseconds: -1)
        for expected in [1, 1] {
            #expect(try await service.get("/keys.json").body == document)
            #expect(attempts.value == expected)
        }
    }

    @Test func `a document is not served after its expiry`() async throws {
        let (service, _, document) = try await full()
        service.clock.advance(milliseconds: KeyDocument.lifetimeMilliseconds - 1)
        #expect(try await service.get("/keys.json").body == document)
        service.clock.advance(milliseconds: 1)
        #expect(try await service.get("/keys.json").code == "storage-full")
    }
}
