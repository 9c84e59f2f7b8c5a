import Domain
import Ground
import Store
import TestKit
import Testing

/// Tests that the watches and plan steps of earlier servers are understood.
@Suite(.scratchDirectory, .databases)
struct HealthMigrationTests {
    /// The course of each release with its revision, and the trip of its watch with the revision at that time.
    private static let rows: [(course: String, revision: Int, trip: (action: String, revision: Int)?)] = [
        ("running", 1, nil), ("halted", 2, nil), ("running", 1, ("halt", 1)), ("halted", 2, ("halt", 1)),
        ("running", 3, ("halt", 1)), ("paused", 2, ("pause", 2)), ("paused", 2, ("halt", 2)),
    ]

    private static func inserts() -> String {
        rows.enumerated().map { index, row in
            let (id, isRunning) = (index + 1, row.course == "running")
            let trip = row.trip.map { "\($0.revision), '\($0.action)'" } ?? "NULL, NULL"
            return """
                INSERT INTO releases (app, package, channel, version, active_time, created_at, rank, course, course_since,
                    revision, changed_at)
                VALUES ('default', 1, 'production', 1, 1, 1, \(id), '\(row.course)', \(isRunning ? "NULL" : "1"),
                    \(row.revision), \(row.revision == 1 ? "NULL" : "1"));
                INSERT INTO release_health VALUES (\(id), \(id), 3600000, \(id == 1 ? 7 : 0), \(trip), '{}');
                """
        }.joined(separator: "\n")
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a step keeps its number of devices, and a trip is due only if nobody has changed the release`(
        on kind: DatabaseKind
    ) async throws {
        let location = try kind.blankLocation().shared
        let database = try Database(location)
        let migrations = Migration.embedded(for: database.dialect)
        try Migrator(Array(migrations.prefix(kind == .sqlite ? 27 : 8))).migrate(database)
        try database.executeScript(
            """
            INSERT INTO apps (id, config_version) VALUES ('default', 1);
            INSERT INTO channels VALUES ('default', 'production');
            INSERT INTO packages (app, id, folded, name, entry, url_prefix, enabled, priority)
            VALUES ('default', 'news', 'news', 'News', NULL, '/', 1, 999);
            INSERT INTO versions (package, version, folded, tree_hash, identity, url_prefix, app_config, file_map,
                file_count, total_size, created_at)
            VALUES (1, '1', '1', \(Self.zeroes), \(Self.zeroes), '/', '{}', '{}', 0, 0, 1);
            \(Self.inserts())
            """.replacing(Self.zeroes, with: kind == .sqlite ? "zeroblob(32)" : "decode(repeat('00', 32), 'hex')"))
        let store = try SQLStore(opening: location)
        let ids = (1...7).map { ReleaseID($0) }
        let watches = try await store.healthWatches(of: ids)
        #expect(
            ids.map { watches[$0]?.trip } == [
                nil, nil, .init(action: .halt), .init(action: .halt, wasStopped: true),
                .init(action: .halt, wasStopped: true), .init(action: .pause, wasStopped: true), .init(action: .halt),
            ])
        #expect(watches.values.allSatisfy { $0.since.milliseconds == 3_600_000 && $0.verdict == .object([]) })
        #expect(ids.map { watches[$0]?.number } == Array(1...7))
        #expect(try await store.healthStep(of: ids[0]) == HealthStep(count: 7, devices: nil))
        #expect(try await store.healthStep(of: ids[1]) == nil)
    }

    private static let zeroes = "ZEROES"
}
