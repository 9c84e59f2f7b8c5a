import Domain
import Ground
import TestKit
import Testing

@testable import Store
/// Tests that reports are recognized across the segments of numbers in which SQLite indexes them.
@Suite(.scratchMemory, .databases)
struct ReportSegmentTests {
    private static let segment: Int64 = 1 << 16

    private struct Window {
        private let location: Database.Location
        private(set) var store: SQLStore
        /// A second connection to the same database.
        let rows: Database

        init(on database: DatabaseKind) async throws {
            location = try database.location()
            store = try SQLStore(opening: location)
            try await store.addNews()
            try await store.publish("1.0.0", seed: 1)
            rows = try Database(location.shared)
        }

        /// Opens the database anew, as a start of the server does.
        mutating func restart() throws { store = try SQLStore(opening: location) }

        /// Inserts a report of each event id, and aggregates them, so that they may leave the window.
        @discardableResult
        func insert(_ ids: String..., keeping limit: Int = ReportWindow.defaultRows) async throws -> [ReportOutcome] {
            let package = try Fixture.package("news")
            let reports = ids.map { id in
                Report(
                    app: Fixture.app, eventID: id, deviceID: "d", package: package, version: "1.0.0", event: "applied",
                    time: Fixture.start, details: [])
            }
            let outcomes = try await store.insertReports(
                reports, at: Fixture.start, keeping: ReportWindow(rows: limit, ids: 0))
            while try await store.aggregate(upTo: 10_000) > 0 {}
            return outcomes
        }

        /// Lets the next report have a number, as if all earlier ones had been stored and aggregated.
        func setNext(_ number: Int64) throws { try rows.execute("UPDATE report_progress SET through = \(number - 1)") }

        func numbers() throws -> [Int64] { try rows.values("SELECT number FROM reports ORDER BY number") }

        func filteredSegments() throws -> [Int64] {
            try rows.values("SELECT segment FROM report_filters ORDER BY segment")
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a report is known in its own segment and in later ones`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        try await window.insert("first")
        try window.setNext(Self.segment - 1)
        // The last number of the first segment and the first one of the second.
        #expect(try await window.insert("last", "next") == [.stored, .stored])
        #expect(try window.numbers() == [1, Self.segment - 1, Self.segment])
        #expect(try await window.insert("first", "last", "next") == [.known, .known, .known])
        try window.setNext(3 * Self.segment)
        #expect(
            try await window.insert("first", "far", "last", "next", "far") == [.known, .stored, .known, .known, .known])
        #expect(try window.numbers() == [1, Self.segment - 1, Self.segment, 3 * Self.segment])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a report at the end of a segment is known at the beginning of the next, in the same batch and later`(
        on database: DatabaseKind
    ) async throws {
        let window = try await Window(on: database)
        try window.setNext(Self.segment - 2)
        #expect(try await window.insert("a", "b", "a", "b", "c") == [.stored, .stored, .known, .known, .stored])
        try window.setNext(2 * Self.segment - 1)
        #expect(try await window.insert("d") == [.stored])
        #expect(try await window.insert("d", "c", "b", "e", "d") == [.known, .known, .known, .stored, .known])
        try window.setNext(5 * Self.segment)
        #expect(try await window.insert("e", "d", "a", "f") == [.known, .known, .known, .stored])
    }

    @Test func `a report is known after a restart`() async throws {
        var window = try await Window(on: .sqlite)
        try await window.insert("first")
        try window.setNext(Self.segment)
        try await window.insert("next")
        try window.restart()
        #expect(try await window.insert("first", "next") == [.known, .known])
    }

    @Test func `a lost or damaged filter is made again`() async throws {
        var window = try await Window(on: .sqlite)
        try await window.insert("first")
        try window.setNext(Self.segment)
        try await window.insert("next")
        #expect(try window.filteredSegments() == [0])
        try window.rows.execute("DELETE FROM report_filters")
        try window.restart()
        #expect(try await window.insert("first", "next") == [.known, .known])
        #expect(try window.filteredSegments() == [0])
    }

    @Test func `numbers may return to a segment before that of the first report`() async throws {
        let window = try await Window(on: .sqlite)
        try await window.insert("first")
        try window.rows.execute("DELETE FROM reports")
        try window.setNext(Self.segment)
        #expect(try await window.insert("next") == [.stored])
        // It is erased before it was aggregated.
        try window.rows.execute("DELETE FROM reports")
        try window.setNext(Self.segment - 1)
        #expect(try await window.insert("again", "last", "again") == [.stored, .stored, .known])
        #expect(try window.numbers() == [Self.segment - 1, Self.segment])
    }

    @Test func `a segment to which reports return after an erasure gets a new filter`() async throws {
        var window = try await Window(on: .sqlite)
        try await window.insert("first")
        try window.setNext(Self.segment)
        try await window.insert("next")
        // The newest reports were erased, and nothing was aggregated since: the numbers return to the first segment.
        try window.rows.execute("DELETE FROM reports WHERE number >= \(Self.segment)")
        try window.setNext(2)
        try window.restart()
        #expect(try await window.insert("second") == [.stored])
        try window.restart()
        try window.setNext(Self.segment)
        #expect(try await window.insert("third", "second", "first") == [.stored, .known, .known])
        try window.restart()
        #expect(try await window.insert("second", "first") == [.known, .known])
    }

    @Test func `filters leave with the last report of their segment`() async throws {
        let window = try await Window(on: .sqlite)
        try await window.insert("first")
        try window.setNext(Self.segment)
        try await window.insert("next")
        #expect(try window.filteredSegments() == [0])
        try await window.insert("third", keeping: 2)
        try await window.insert(keeping: 2)
        try await window.insert("fourth", keeping: 2)
        #expect(try window.numbers().first.map { $0 >= Self.segment } == true)
        #expect(try window.filteredSegments() == [])
        #expect(try await window.insert("first") == [.stored])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the reports of a device are found in all segments`(on database: DatabaseKind) async throws {
        let window = try await Window(on: database)
        try await window.insert("first")
        for number in 1...3 {
            try window.setNext(Int64(number) * Self.segment)
            try await window.insert("next \(number)")
        }
        let record = try await window.store.device(Self.names, in: Fixture.app)
        #expect(record.events.map(\.eventID) == ["next 3", "next 2", "next 1", "first"])
        let erasure = try await window.store.eraseDevice(Self.names, in: Fixture.app) { _ in
            Fixture.audit("device.erase")
        }
        #expect(erasure.reports == 4)
        #expect(try window.numbers() == [])
    }

    private static let names = DeviceNames(
        plain: DeviceName(text: "d", key: DeviceKey(high: 5, low: 9)),
        hashed: DeviceName(text: "hashed:d", key: DeviceKey(high: 5, low: 10)))

    @Test func `SQLite finds a device's reports by its index alone`() async throws {
        let window = try await Window(on: .sqlite)
        let plan: [String] = try window.rows.rows(
            """
            EXPLAIN QUERY PLAN
            SELECT number, version, event FROM reports WHERE \(SQLDialect.sqlite.isReport(of: Self.names, in: Fixture.app))
            """
        ) { row in try row["detail"] }
        #expect(
            plan.contains("SEARCH reports USING INDEX reports_by_segment (<expr>=? AND app=? AND device=?)"), "\(plan)")
    }
}
