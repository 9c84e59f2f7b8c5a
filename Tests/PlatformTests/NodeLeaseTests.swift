import Domain
import Execution
import ServiceKit
import Store
import TestKit
import Testing

@testable import Platform

/// Tests that the background work of several servers runs on one at a time.
@Suite(.scratchDirectory, .timeLimit(.minutes(5)))
struct NodeLeaseTests {
    private func lease(of service: TestService) throws -> NodeLease { try #require(service.nodes?.lease) }

    /// Ends the lease by the database's time.
    private func endLease(_ nodes: TestNodes) throws {
        let database = try Database(.postgreSQL(nodes.address.with(.reader)))
        try database.execute("UPDATE leases SET expires_at = 0")
    }

    @Test func `the work runs where the lease is, and stops when another server takes it`() async throws {
        try await TestNodes.run(isFollowing: false) { nodes in
            let (one, two) = (try lease(of: nodes.one), try lease(of: nodes.two))
            let (begun, ended) = (Counter(), Counter())
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await one.whileHeld {
                        begun.increment()
                        await AsyncFlag().wait()
                        ended.increment()
                    }
                }
                try await two.renew()
                try await one.renew()
                #expect(two.isHeld && !one.isHeld && begun.value == 0)
                try endLease(nodes)
                try await one.renew()
                #expect(one.isHeld)
                #expect(try await TestNodes.eventually { begun.value == 1 })
                try endLease(nodes)
                try await two.renew()
                #expect(ended.value == 0)
                try await one.renew()
                #expect(two.isHeld && !one.isHeld)
                #expect(try await TestNodes.eventually { ended.value == 1 })
                group.cancelAll()
            }
            #expect(begun.value == 1)
        }
    }

    @Test func `a lease that is not renewed is given up at the end of its term`() async throws {
        try await TestNodes.run(isFollowing: false) { nodes in
            let (clock, events) = (ManualInstant(), RecordingLog())
            let store = try SQLStore(opening: .postgreSQL(nodes.address.with(.shared)))
            let lease = NodeLease(store: store, node: "node", now: { clock.now })
            func endIfOver() { lease.endIfOver { events.write("\($0)", [:]) } }
            try await lease.renew()
            clock.advance(NodeLease.standardTerm / 2)
            try await lease.renew()
            clock.advance(NodeLease.standardTerm - .nanoseconds(1))
            endIfOver()
            #expect(lease.isHeld && events.all.isEmpty)
            clock.advance(.nanoseconds(1))
            endIfOver()
            endIfOver()
            #expect(!lease.isHeld && events.all == ["lost"])
        }
    }

    @Test func `a server that was stopped for longer than its lease removes nothing`() async throws {
        try await TestNodes.run(isFollowing: false) { nodes in
            let (one, two) = (try lease(of: nodes.one), try lease(of: nodes.two))
            try await one.renew()
            let outcome = RecordingLog()
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    await one.whileHeld {
                        // The server is stopped here, and the other one takes the lease.
                        try? endLease(nodes)
                        try? await two.renew()
                        do throws(PlatformError) { _ = try await nodes.one.pruner.prune(by: .server) } catch {
                            outcome.write(error.isLeaseLost ? "lost" : "\(error)", [:])
                        }
                    }
                }
                _ = try? await TestNodes.eventually { !outcome.all.isEmpty }
                group.cancelAll()
            }
            #expect(outcome.all == ["lost"])
            #expect(two.isHeld)
        }
    }
}
