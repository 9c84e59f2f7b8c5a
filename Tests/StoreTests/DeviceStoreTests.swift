import Domain
import Ground
import Store
import TestKit
import Testing

@Suite(.scratchDirectory, .databases)
struct DeviceStoreTests {
    private let key = DeviceKey(high: 5, low: 9)
    private let channel = SeenChannel(app: Fixture.app, channel: .production)

    private func seen(_ key: DeviceKey, _ model: String, have: String? = nil) -> SeenDevice {
        SeenDevice(
            key: key, facts: "{\"model\":\"\(model)\"}", have: have, isCut: false, seenAt: Fixture.start)
    }

    private func store(on database: DatabaseKind) async throws -> SQLStore {
        let store = try await database.withNews()
        try await store.publish("1.0.0", seed: 1)
        return store
    }

    private func insert(_ reports: Range<Int>, of device: String, into store: SQLStore) async throws {
        let news = try Fixture.package("news")
        for start in stride(from: reports.lowerBound, to: reports.upperBound, by: 1_000) {
            let batch = (start..<min(start + 1_000, reports.upperBound)).map { number in
                Report(
                    app: Fixture.app, eventID: "e\(number)", deviceID: device, package: news, version: "1.0.0",
                    event: "opened", time: Fixture.start, details: [])
            }
            _ = try await store.insertReports(batch, at: Fixture.start, keeping: ReportWindow())
        }
    }

    /// Returns the names of a device whose hash has the key as its higher half.
    private func names(_ id: String, _ key: DeviceKey) -> DeviceNames {
        DeviceNames(
            plain: DeviceName(text: id, key: key),
            hashed: DeviceName(
                text: "hashed:" + Hex.encode(id.utf8), key: DeviceKey(high: key.high, low: key.low + 1_000)))
    }

    private func device(_ id: String, _ key: DeviceKey, in store: SQLStore) async throws -> DeviceRecord {
        try await store.device(names(id, key), in: Fixture.app)
    }

    private func erase(_ id: String, _ key: DeviceKey, from store: SQLStore) async throws -> DeviceErasure {
        try await store.eraseDevice(names(id, key), in: Fixture.app) { _ in Fixture.audit("device.erase") }
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a device is shown and erased under both of its names`(on database: DatabaseKind) async throws {
        let store = try await store(on: database)
        let names = names("ann", key)
        let list = try #require(DeviceListName("testers"))
        _ = try await store.putDeviceList(
            list, DeviceSet([key]), of: Fixture.app, audit: Fixture.audit("device-list.put"))
        try await insert(0..<2, of: "ann", into: store)
        try await insert(2..<3, of: names.hashed.text, into: store)
        try await insert(0..<1, of: "bob", into: store)
        let beta = SeenChannel(app: Fixture.app, channel: try Fixture.channel("beta"))
        _ = try await store.declareChannel(beta.channel, of: Fixture.app, audit: Fixture.audit("channel.declare"))
        func seen(_ key: DeviceKey, _ model: String, after delay: Int64) -> SeenDevice {
            SeenDevice(
                key: key, facts: "{\"model\":\"\(model)\"}", have: nil, isCut: false,
                seenAt: Fixture.start.adding(milliseconds: delay))
        }
        let (old, new) = (seen(key, "old", after: 0), seen(names.hashed.key, "new", after: 5))
        try await store.noteSeenDevices([channel: [old, new], beta: [new]])
        let shown = try await device("ann", key, in: store)
        #expect(shown.seen == [.production: new, beta.channel: new])
        #expect(shown.events.map(\.eventID) == ["e2", "e1", "e0"])
        let erasure = try await erase("ann", key, from: store)
        #expect(erasure.channels == 2 && erasure.reports == 3 && erasure.lists == [list] && erasure.isComplete)
        let left = try await device("ann", key, in: store)
        #expect(left.seen == [:] && left.events == [])
        #expect(try await device("bob", DeviceKey(high: 9, low: 9), in: store).events.count == 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the secret of an installation stays`(on database: DatabaseKind) async throws {
        let location = try database.location()
        let secret = try await SQLStore(opening: location).deviceSecret()
        #expect(secret.count == 16)
        #expect(try await SQLStore(opening: location).deviceSecret() == secret)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `erasing a device removes the texts that only it has sent`(on database: DatabaseKind) async throws {
        let store = try await store(on: database)
        let other = DeviceKey(high: 6, low: 9)
        try await store.noteSeenDevices([
            channel: [seen(key, "own", have: "news@1.0.0"), seen(other, "shared", have: "news@1.0.0")]
        ])
        #expect(try await erase("ann", key, from: store).channels == 1)
        #expect(try await device("ann", key, in: store).seen == [:])
        let left = [seen(other, "shared", have: "news@1.0.0")]
        #expect(try await store.seenDevices(in: channel, after: nil, upTo: 9) == left)
        // A text that was erased is stored again if another device sends it.
        try await store.noteSeenDevices([channel: [seen(other, "own")]])
        #expect(
            try await device("bob", other, in: store).seen == [.production: seen(other, "own")])
        #expect(try await erase("ann", key, from: store).channels == 0)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `erasing a device removes the texts that it has sent earlier`(on kind: DatabaseKind) async throws {
        let location = try kind.location()
        let store = try SQLStore(opening: location)
        try await store.addNews()
        try await store.noteSeenDevices([channel: [seen(key, "first", have: "news@1.0.0")]])
        try await store.noteSeenDevices([channel: [seen(key, "second", have: "news@2.0.0")]])
        let erasure = try await erase("ann", key, from: store)
        #expect(erasure.channels == 1 && erasure.isComplete)
        #expect(try Database(location.shared).value("SELECT count(*) FROM seen_texts") == 0)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `an erasure is incomplete while more unused texts may be left than one removes`(
        on kind: DatabaseKind
    ) async throws {
        let location = try kind.location()
        let store = try SQLStore(opening: location)
        try await store.addNews()
        let database = try Database(location.shared)
        func insert(_ count: Int) throws {
            try database.execute(
                """
                WITH RECURSIVE numbers (number) AS (
                    SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < \(count))
                INSERT INTO seen_texts (hash, text) SELECT number, 'unused' FROM numbers
                """)
        }
        try insert(99_999)
        #expect(try await erase("ann", key, from: store).isComplete)
        try insert(100_001)
        #expect(try await !erase("ann", key, from: store).isComplete)
        #expect(try await erase("ann", key, from: store).isComplete)
        #expect(try database.value("SELECT count(*) FROM seen_texts") == 0)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a device list is searched for whole keys`(on database: DatabaseKind) async throws {
        let store = try await store(on: database)
        let list = try #require(DeviceListName("testers"))
        // The bytes of the key of the device lie across those of two others.
        let keys = [DeviceKey(high: 1, low: key.high), DeviceKey(high: key.low, low: 1)]
        _ = try await store.putDeviceList(
            list, DeviceSet(keys), of: Fixture.app, audit: Fixture.audit("device-list.put"))
        #expect(try await erase("ann", key, from: store).lists == [])
        #expect(try await erase("bob", keys[0], from: store).lists == [list])
        #expect(try await store.devices(on: list, of: Fixture.app) == DeviceSet([keys[1]]))
        #expect(try await store.deviceLists(of: Fixture.app).map(\.revision) == [2])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `reports are erased and shown by device and app, whether they were aggregated or not`(
        on database: DatabaseKind
    ) async throws {
        let store = try await store(on: database)
        try await insert(0..<3, of: "ann", into: store)
        try await insert(3..<5, of: "bob", into: store)
        let before = try await device("ann", key, in: store)
        #expect(before.events.map(\.eventID) == ["e2", "e1", "e0"] && !before.isTruncated)
        let erasure = try await erase("ann", key, from: store)
        #expect(erasure.reports == 3 && erasure.isComplete)
        #expect(try await device("ann", key, in: store).events == [])
        #expect(try await device("bob", key, in: store).events.count == 2)
        // The device may report again, also with event ids that were erased.
        try await insert(0..<1, of: "ann", into: store)
        #expect(try await device("ann", key, in: store).events.map(\.eventID) == ["e0"])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a device with more reports than are examined is shown as a sample`(on database: DatabaseKind) async throws {
        let store = try await store(on: database)
        try await insert(0..<DeviceRecord.maximumExamined, of: "ann", into: store)
        #expect(try await !device("ann", key, in: store).isTruncated)
        try await insert(DeviceRecord.maximumExamined..<DeviceRecord.maximumExamined + 1, of: "ann", into: store)
        let device = try await device("ann", key, in: store)
        #expect(device.isTruncated && device.events.count == DeviceRecord.maximumEvents)
    }

    @Test func `SQLite shows the newest reports of a device with more than are examined`() async throws {
        let location = try DatabaseKind.sqlite.location()
        let store = try SQLStore(opening: location)
        try await store.addNews()
        try await store.publish("1.0.0", seed: 1)
        try await insert(0..<DeviceRecord.maximumExamined, of: "ann", into: store)
        while try await store.aggregate(upTo: 10_000) > 0 {}
        // The next segment begins.
        try Database(location.shared).execute("UPDATE report_progress SET through = 65535")
        let newest = DeviceRecord.maximumExamined
        try await insert(newest..<newest + 1, of: "ann", into: store)
        #expect(try await store.device(names("ann", key), in: Fixture.app).events.first?.eventID == "e\(newest)")
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the installed version is that of the last such report, even if many later ones hide it`(
        on database: DatabaseKind
    ) async throws {
        let store = try await store(on: database)
        let news = try Fixture.package("news")
        try await store.publish("2.0.0", seed: 2)
        func report(_ id: String, _ version: String, _ event: String) async throws {
            let report = Report(
                app: Fixture.app, eventID: id, deviceID: "ann", package: news, version: version, event: event,
                time: Fixture.start, details: [])
            _ = try await store.insertReports([report], at: Fixture.start, keeping: ReportWindow())
        }
        func installed() async throws -> DeviceRecord.Event? {
            try await device("ann", key, in: store).installed[news]
        }
        try await report("a", "2.0.0", "downloaded")
        #expect(try await installed() == nil)
        try await report("b", "1.0.0", "opened")
        try await report("c", "2.0.0", "applied")
        for number in 0...DeviceRecord.maximumEvents { try await report("f\(number)", "1.0.0", "failed") }
        let record = try await device("ann", key, in: store)
        #expect(record.installed[news]?.eventID == "c" && record.installed[news]?.version == "2.0.0")
        #expect(!record.events.contains { $0.eventID == "c" })
    }

    @Test(arguments: DatabaseKind.allCases)
    func `an id with a null character has no reports in PostgreSQL`(on database: DatabaseKind) async throws {
        let store = try await store(on: database)
        #expect(try await device("a\0b", key, in: store).events == [])
        #expect(try await erase("a\0b", key, from: store).isComplete)
    }
}
