import Domain
import TestKit
import Testing

@testable import Store

/// Tests the session that reads the changes of other nodes, beside the session of its store.
@Suite(.scratchDirectory, .databases, .ownThread, .timeLimit(.minutes(5)))
struct DatabaseWatchTests {
    /// Returns a new database for several servers, and a store on it.
    private func opened() throws -> (PostgreSQLAddress, SQLStore) {
        guard case .postgreSQL(let address) = try DatabaseKind.postgresql.location() else { throw Unexpected() }
        let shared = address.with(.shared)
        return (shared, try SQLStore(opening: .postgreSQL(shared)))
    }

    private struct Unexpected: Error {}

    @Test func `a watch refuses a former primary, to which it is connected or connects`() async throws {
        let (address, store) = try opened()
        let timelines = try #require(store.timelines)
        // The store has found the timeline of the tests' server.
        #expect(timelines.number == 1)
        let watch = try DatabaseWatch(address, beside: store)
        watch.stop()
        #expect(try await watch.next().apps.isEmpty)
        #expect(try await watch.next().apps.isEmpty)
        // As if another session of this program had found the successor.
        #expect(timelines.note(2))
        let connected = await #expect(throws: PlatformError.self) { try await watch.next() }
        #expect(connected?.code == .storageUnavailable)
        let words = "is a former primary: its timeline is 1, and that of its successor 2"
        #expect(connected?.cause?.contains(words) == true)
        let connecting = await #expect(throws: PlatformError.self) { try await watch.next() }
        #expect(connecting?.code == .storageUnavailable)
        #expect(connecting?.cause?.contains("Stop that PostgreSQL, and start its successor") == true)
        // The watch takes the timeline into account that it finds itself.
        #expect(!timelines.note(1))
    }

    @Test func `a store leaves a former primary once its watch has found the successor`() async throws {
        let (_, store) = try opened()
        try await store.addNews()
        #expect(try #require(store.timelines).note(2))
        let error = await #expect(throws: PlatformError.self) { try await store.apps() }
        #expect(error?.code == .storageUnavailable)
        #expect(error?.cause?.contains("former primary") == true)
    }

    @Test func `a transaction that a failover overtakes is not committed to the former primary`() throws {
        let (address, store) = try opened()
        let database = try Database(.postgreSQL(address))
        let error = #expect(throws: DatabaseError.self) {
            try database.transaction {
                try database.execute("INSERT INTO last_numbers (name, number) VALUES ('late', 1)")
                #expect(try #require(database.timelines).note(2))
            }
        }
        #expect(error?.code == .unavailable)
        let reader = try Database(.postgreSQL(address.with(.reader)))
        let count: Int? = try reader.value("SELECT count(*) FROM last_numbers WHERE name = 'late'")
        #expect(count == 0)
        withExtendedLifetime(store) {}
    }

    @Test func `the facts show that the data were moved`() async throws {
        let (address, store) = try opened()
        let watch = try DatabaseWatch(address, beside: store)
        watch.stop()
        #expect(try await !watch.next().isMoved)
        try Database(.postgreSQL(address.with(.reader))).setMoveMark(
            MoveMark(state: .moved, epoch: store.epoch, other: "/there"))
        #expect(try await watch.next().isMoved)
    }
}
