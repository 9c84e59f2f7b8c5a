import Domain
import Ground
import Platform
import ServiceKit
import Store
import Synchronization
import TestKit
import Testing

/// Tests the intake of reports while the store is unavailable.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct SpooledReportsTests {
    private let package: PackageID
    private let folder = ScratchDirectory.path

    init() throws {
        package = try #require(PackageID("news"))
    }

    private func reports(_ numbers: Range<Int>, app: AppID = .default) -> [Report] {
        numbers.map { number in
            Report(
                app: app, eventID: "\(number)", deviceID: "d", package: package, version: "1.0.0", event: "applied",
                time: Timestamp(milliseconds: 1), details: [])
        }
    }

    private func count(_ service: TestService) async throws -> Int {
        try await service.store.reportCounts(of: package, in: .default).reduce(0) { $0 + $1.reports }
    }

    private func spool(_ limit: Int = FileReportSpool.defaultLimit) throws -> FileReportSpool {
        try FileReportSpool(in: folder, limit: limit)
    }

    private func service() async throws -> TestService {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        return service
    }

    private func intake(
        _ service: TestService, _ spool: FileReportSpool, retryDelay: Duration = .milliseconds(5)
    ) -> ReportIntake {
        ReportIntake(
            store: service.store, spool: spool, deviceIDs: service.deviceIDs, clock: service.clock, log: service.log,
            retryDelay: retryDelay)
    }

    /// Runs the intake while `body` runs.
    private func running(_ intake: ReportIntake, _ body: () async throws -> Void) async throws {
        let loop = Task { await intake.run() }
        try await body()
        loop.cancel()
        await loop.value
    }

    private func lose(_ service: TestService, _ code: PlatformError.Code = .storageUnavailable) {
        service.store.setBefore(.insertReports) { () throws(PlatformError) in throw PlatformError(code, "gone") }
    }

    private func awaitEmpty(_ spool: FileReportSpool) async throws {
        while spool.figures.reports > 0 { await Task.yield() }
    }

    private func lines(_ service: TestService, _ event: String) -> [String] {
        service.log.all.filter { $0.hasPrefix(event) }
    }

    @Test func `reports that the store cannot take are spooled, and counted once when it is back`() async throws {
        let service = try await service()
        let spool = try spool()
        let intake = intake(service, spool)
        try await running(intake) {
            #expect(try await intake.accept(reports(0..<2)) == [.stored, .stored])
            lose(service)
            #expect(try await intake.accept(reports(1..<4)) == [.spooled, .spooled, .spooled])
            #expect(try await intake.accept(reports(3..<5)) == [.spooled, .spooled])
            #expect(spool.figures.reports == 5)
            #expect(try await count(service) == 2)
            service.store.setBefore(.insertReports, nil)
            try await awaitEmpty(spool)
            #expect(try await count(service) == 5)
            #expect(try await intake.accept(reports(4..<6)) == [.known, .stored])
        }
        #expect(lines(service, "reports.spooling") == ["reports.spooling cause=gone"])
        #expect(lines(service, "reports.drained") == ["reports.drained count=5"])
    }

    @Test func `a process that starts with a spool stores its reports`() async throws {
        let service = try await service()
        lose(service)
        let first = intake(service, try spool())
        try await running(first) { () async throws in
            #expect(try await first.accept(reports(0..<3)) == [.spooled, .spooled, .spooled])
        }
        service.store.setBefore(.insertReports, nil)
        let spool = try spool()
        try await running(intake(service, spool)) { try await awaitEmpty(spool) }
        #expect(try await count(service) == 3)
    }

    @Test func `spooled reports with plain ids are hashed before they are stored, and hashed ones stay`() async throws {
        let service = try await service()
        lose(service)
        let first = intake(service, try spool())
        try await running(first) { () async throws in
            #expect(try await first.accept(reports(0..<1)) == [.spooled])
        }
        let hashed = try await service.restarted(deviceIDForm: .hashed)
        let second = intake(hashed, try spool())
        try await running(second) { () async throws in
            #expect(try await second.accept(reports(1..<2)) == [.spooled])
        }
        let name = try #require(hashed.deviceIDs.names(of: "d", in: .default)).hashed.text
        let spool = try spool()
        #expect(try await spool.oldest(upTo: 9).map { $0.map(\.deviceID) } == [["d"], [name]])
        service.store.setBefore(.insertReports, nil)
        try await running(intake(hashed, spool)) { try await awaitEmpty(spool) }
        let stored = try await service.store.installationReports(
            of: package, in: .default, before: nil, examining: 9)
        #expect(stored.reports.map(\.device) == [name, name])
    }

    @Test func `a request that exceeds the limit of the spool is refused, and those before it are kept`() async throws {
        let service = try await service()
        lose(service)
        let probe = try spool()
        _ = try await probe.append([reports(0..<2)])
        let size = probe.figures.bytes
        _ = try await probe.oldest(upTo: 1)
        try await probe.removeOldest(1)
        let spool = try spool(32 + size)
        let intake = intake(service, spool)
        try await running(intake) {
            #expect(try await code { try await intake.accept(reports(0..<3)) } == .storageUnavailable)
            #expect(try await intake.accept(reports(0..<2)) == [.spooled, .spooled])
            #expect(try await code { try await intake.accept(reports(2..<3)) } == .storageUnavailable)
            service.store.setBefore(.insertReports, nil)
            try await awaitEmpty(spool)
            // There is room again, and the store is used again.
            #expect(try await intake.accept(reports(2..<3)) == [.stored])
        }
        #expect(try await count(service) == 3)
    }

    @Test func `reports that arrive while the spool drains are stored before it is empty`() async throws {
        let service = try await service()
        let spool = try spool()
        lose(service)
        let intake = intake(service, spool)
        let held = Gate()
        try await running(intake) {
            for number in 0..<3 {
                let size = ReportIntake.batchSize / 2 + 1
                _ = try await intake.accept(reports(number * size..<(number + 1) * size))
            }
            // The first batch of the spool is stored, and the second one waits.
            let calls = Counter()
            service.store.setBefore(.insertReports) { () throws(PlatformError) in
                calls.increment()
                if calls.value == 2 { held.pass() }
            }
            await held.arrival()
            service.store.setBefore(.insertReports, nil)
            #expect(try await intake.accept(reports(100_000..<100_002)) == [.stored, .stored])
            #expect(spool.figures.reports > 0)
            held.open()
            try await awaitEmpty(spool)
        }
        #expect(try await count(service) == 3 * (ReportIntake.batchSize / 2 + 1) + 2)
    }

    @Test(arguments: [PlatformError.Code.storageFull, .storageFailed, .internalError])
    func `only an unavailable store makes reports go to the spool`(code expected: PlatformError.Code) async throws {
        let service = try await service()
        lose(service, expected)
        let spool = try spool()
        let intake = intake(service, spool)
        try await running(intake) { () async throws in
            #expect(try await code { try await intake.accept(reports(0..<1)) } == expected)
        }
        #expect(spool.figures.reports == 0)
    }

    @Test func `without a spool an unavailable store fails the requests`() async throws {
        let service = try await service()
        lose(service)
        let loop = Task { await service.reports.run() }
        #expect(try await code { try await service.reports.accept(reports(0..<1)) } == .storageUnavailable)
        loop.cancel()
        await loop.value
    }

    @Test func `a spooled request that the store refuses is dropped, and the others are stored`() async throws {
        let service = try await service()
        let spool = try spool()
        let other = try #require(AppID("other"))
        _ = try await spool.append([reports(0..<2), reports(2..<3, app: other), reports(3..<4)])
        try await running(intake(service, spool)) { try await awaitEmpty(spool) }
        #expect(try await count(service) == 3)
        #expect(lines(service, "reports.dropped").count == 1)
    }

    @Test func `waiting reports are spooled at the end if the store is unavailable`() async throws {
        let service = try await service()
        lose(service)
        let spool = try spool()
        let intake = intake(service, spool, retryDelay: .seconds(600))
        let waiting = Task.immediate { try await intake.accept(reports(0..<5)) }
        let loop = Task { await intake.run() }
        loop.cancel()
        await loop.value
        #expect(try await waiting.value.allSatisfy { $0 == .spooled })
        #expect(spool.figures.reports == 5)
    }
}
