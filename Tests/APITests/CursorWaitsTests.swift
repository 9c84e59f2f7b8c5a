import Domain
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing

@testable import API

/// Tests the places of requests for `/config` that wait for a change of another node.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct CursorWaitsTests {
    /// The outcome of a request for a change that never comes.
    private struct Outcome: Sendable {
        let client: PeerAddress
        let isReached: Bool
        /// Whether the wait ended before its time.
        let isEarly: Bool
    }

    @Test func `1,024 requests wait, and past that one of the client with the most is refused`() async throws {
        #expect(CursorWaits.capacity == 1_024)
        let service = try await TestService()
        let app = try service.app
        let waits = CursorWaits(service.live)
        let cursor = Cursor(epoch: app.log.epoch, sequence: app.log.sequence + 1)
        let busy = try #require(PeerAddress("192.0.2.1"))
        let other = try #require(PeerAddress("192.0.2.2"))
        let wait: @Sendable (PeerAddress) async -> Outcome = { client in
            let begin = ContinuousClock.now
            let isReached = await waits.reach(cursor, of: app, for: client)
            let time = ContinuousClock.now - begin
            return Outcome(client: client, isReached: isReached, isEarly: time < CursorWaits.patience)
        }
        await withTaskGroup { group in
            for _ in 0...CursorWaits.capacity { group.addTask { await wait(busy) } }
            // The one past the limit: all places are taken now.
            let first = await group.next()
            #expect(first?.isEarly == true && first?.isReached == false)
            group.addTask { await wait(other) }
            let second = await group.next()
            #expect(second?.client == busy && second?.isEarly == true && second?.isReached == false)
            var rest: [Outcome] = []
            for await outcome in group { rest.append(outcome) }
            #expect(rest.count == CursorWaits.capacity)
            #expect(rest.allSatisfy { !$0.isEarly && !$0.isReached })
            #expect(rest.count { $0.client == other } == 1)
        }
        // All places are free again.
        #expect(await !wait(busy).isEarly)
    }
}
