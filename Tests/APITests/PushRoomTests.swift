import Domain
import Ground
import ServiceKit
import TestKit
import Testing

@Suite(.scratchDirectory, .timeLimit(.minutes(5)))
struct PushRoomTests {
    @Test func `4096 sets of packages are distinguished, and a client with a further set is notified of all packages`()
        async throws
    {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let cursor = try #require(try await service.get("/push").json["cursor"]?.string)
        let lot = TestLot()
        for number in 0..<4096 {
            _ = try await service.wait("/push?packages=p\(number)&cursor=\(cursor)", lot: lot)
        }
        // A set that is waited for already does not count again.
        let known = try await service.wait("/push?packages=p7&cursor=\(cursor)", lot: lot)
        let gone = try await service.wait("/push?packages=gone&cursor=\(cursor)", lot: lot)
        let wide = try await service.wait("/push?packages=other&cursor=\(cursor)", lot: lot)
        gone.leave()
        try await service.release("1.0.0")
        #expect(lot.responseCount == 1)
        #expect(known.response == nil)
        #expect(gone.response == nil)
        #expect(try wide.response?.json["events"]?.elements?.first?["package"]?.string == "news")
    }
}
