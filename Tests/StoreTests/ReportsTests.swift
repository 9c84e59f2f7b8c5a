import Domain
import Ground
import Store
import Testing

@Suite(.databases)
struct ReportsTests {
    /// A store with `news` in the versions 1.0.0 and 1.0.1, and `other` in 1.
    private struct Counted {
        let store: SQLStore

        init(on database: DatabaseKind) async throws {
            store = try await database.withNews()
            _ = try await store.putPackage(Fixture.newsPackage("other"), audit: Fixture.audit("package.put"))
            try await store.publish("1.0.0", seed: 1)
            try await store.publish("1.0.1", seed: 2)
            try await store.publish("1", of: "other", seed: 3)
        }

        func insert(_ reports: Report...) async throws -> [ReportOutcome] {
            try await insert(reports)
        }

        func insert(_ reports: [Report]) async throws -> [ReportOutcome] {
            try await store.insertReports(reports, at: Fixture.start, keeping: ReportWindow())
        }

        func counts(_ package: String = "news") async throws -> [ReportCount] {
            try await store.reportCounts(of: try Fixture.package(package), in: Fixture.app)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the backlog continues behind erased reports, however many`(on database: DatabaseKind) async throws {
        let counted = try await Counted(on: database)
        _ = try await counted.insert((0..<5).map { try report("d1", "e\($0)") })
        _ = try await counted.insert(report("d2", "e1"), report("d2", "e2"))
        let names = DeviceNames(
            plain: DeviceName(text: "d1", key: DeviceKey(high: 1, low: 1)),
            hashed: DeviceName(text: "none", key: DeviceKey(high: 2, low: 2)))
        _ = try await counted.store.eraseDevice(names, in: Fixture.app) { _ in Fixture.audit("device.erase") }
        let backlog = try #require(try await counted.store.reportBacklog(upTo: 2))
        #expect(backlog.reports.map(\.number) == [6, 7])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a report counts once`(on database: DatabaseKind) async throws {
        let counted = try await Counted(on: database)
        let first = [try report("d1", "e1"), try report("d1", "e2"), try report("d2", "e1"), try report("d1", "e1")]
        #expect(try await counted.insert(first) == [.stored, .stored, .stored, .known])
        #expect(try await counted.insert(first) == [.known, .known, .known, .known])
        #expect(try await counted.insert().isEmpty)
        let more = [
            try report("d1", "e3", event: "failed"), try report("d1", "e4", version: "1", of: "other"),
            try report("d1", "e5", version: "1.0.1"),
        ]
        #expect(try await counted.insert(more) == [.stored, .stored, .stored])
        #expect(
            try await counted.counts() == [
                ReportCount(version: Fixture.reported("1.0.0"), event: "applied", reports: 3, devices: 2),
                ReportCount(version: Fixture.reported("1.0.0"), event: "failed", reports: 1, devices: 1),
                ReportCount(version: Fixture.reported("1.0.1"), event: "applied", reports: 1, devices: 1),
            ])
        #expect(
            try await counted.counts("other") == [
                ReportCount(version: Fixture.reported("1", of: "other"), event: "applied", reports: 1, devices: 1)
            ])
        #expect(try await counted.counts("none").isEmpty)
    }

    @Test(
        arguments: [
            ("news", "1.0.2"), ("news", "1"), ("none", "1.0.0"), ("News", "1.0.0"), ("news", ""),
            ("news", "no version"),
        ], DatabaseKind.allCases)
    func `a report of an unpublished version is ignored`(
        named: (package: String, version: String), on database: DatabaseKind
    ) async throws {
        let counted = try await Counted(on: database)
        #expect(
            try await counted.insert(report("d1", "e1", version: named.version, of: named.package), report("d1", "e2"))
                == [.unknownVersion, .stored])
        // Its id is not taken either.
        #expect(try await counted.insert(report("d1", "e1")) == [.stored])
        #expect(
            try await counted.counts() == [
                ReportCount(version: Fixture.reported("1.0.0"), event: "applied", reports: 2, devices: 1)
            ])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a package has 64 names of its own for events, and further ones count as other`(
        on database: DatabaseKind
    ) async throws {
        let counted = try await Counted(on: database)
        let names = (0..<EventNames.limit).map { "own \($0)" }
        let reports = try names.map { try report("d1", $0, event: $0, version: names[0] == $0 ? "1.0.1" : "1.0.0") }
        let outcomes = try await counted.insert(reports)
        #expect(outcomes.allSatisfy { $0 == .stored })
        #expect(try await counted.insert(report("d1", "x", event: "one more")) == [.storedAsOther])
        #expect(try await counted.insert(report("d1", "x", event: "one more")) == [.known])
        #expect(try await counted.insert(report("d1", "z", event: "yet another")) == [.storedAsOther])
        let other = try await counted.counts().filter { $0.event == ReportTotal.other }
        #expect(try other == [ReportCount(version: Fixture.reported("1.0.0"), event: "other", reports: 2, devices: 1)])
        #expect(try await counted.insert(report("d3", "o", event: ReportTotal.other)) == [.stored])
        // Known and predefined names are still counted.
        #expect(try await counted.insert(report("d2", "x", event: names[0])) == [.stored])
        for name in NamedEvent.allCases.map(\.rawValue) {
            #expect(try await counted.insert(report("d2", name, event: name)) == [.stored])
        }
        #expect(try await counted.insert(report("d2", "y", event: "one more", version: "1", of: "other")) == [.stored])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `an event name without a report for a week is replaced by a new one`(on database: DatabaseKind) async throws {
        let counted = try await Counted(on: database)
        let names = (0..<EventNames.limit).map { "own \($0)" }
        _ = try await counted.insert(try names.map { try report("d1", $0, event: $0) })
        func insert(_ event: String, after milliseconds: Int64) async throws -> ReportOutcome? {
            try await counted.store.insertReports(
                [try report("d2", "\(event) \(milliseconds)", event: event)],
                at: Fixture.start.adding(milliseconds: milliseconds), keeping: ReportWindow()
            ).first
        }
        let lifetime = EventNames.lifetime
        // Recorded by the day: a name that is reported again stays.
        #expect(try await insert(names[0], after: EventNames.renewal) == .stored)
        #expect(try await insert("new", after: lifetime - 1) == .storedAsOther)
        for index in 1..<names.count {
            #expect(try await insert("new \(index)", after: lifetime) == .stored)
        }
        #expect(try await insert("new", after: lifetime) == .storedAsOther)
        #expect(try await insert(names[0], after: lifetime) == .stored)
        #expect(try await insert(names[1], after: lifetime) == .storedAsOther)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a report for an unknown app rolls back its whole batch`(on database: DatabaseKind) async throws {
        let counted = try await Counted(on: database)
        let other = try #require(AppID("other"))
        let batch = [try report("d1", "e1"), try report("d1", "e1", app: other)]
        #expect(try await code { _ = try await counted.insert(batch) } == .appNotFound)
        #expect(try await counted.counts().isEmpty)
    }

    private func report(
        _ device: String, _ eventID: String, event: String = "applied", version: String = "1.0.0",
        of package: String = "news", app: AppID = Fixture.app
    ) throws -> Report {
        Report(
            app: app, eventID: eventID, deviceID: device, package: try Fixture.package(package), version: version,
            event: event, time: Fixture.start, details: [.init("reason", "disk")])
    }
}
