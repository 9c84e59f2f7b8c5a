import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ReportIntakeTests {
    private let package: PackageID

    init() throws {
        package = try #require(PackageID("news"))
    }

    private func reports(_ numbers: Range<Int>, device: String = "d") -> [Report] {
        numbers.map { number in
            Report(
                app: .default, eventID: "\(number)", deviceID: device, package: package, version: "1.0.0",
                event: "applied", time: Timestamp(milliseconds: 1), details: [])
        }
    }

    private func count(_ service: TestService) async throws -> Int {
        while try await service.store.waitingReports() > ReportSeries.maximumWaiting {
            _ = try await service.aggregator.step()
        }
        return try await service.store.reportCounts(of: package, in: .default).reduce(0) { $0 + $1.reports }
    }

    /// Returns a service with the version of the reports.
    private func service() async throws -> TestService {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        return service
    }

    /// Runs the intake while `body` runs.
    private func running(_ service: TestService, _ body: () async throws -> Void) async throws {
        let loop = Task { await service.reports.run() }
        try await body()
        loop.cancel()
        await loop.value
    }

    @Test func `an acknowledged report is stored`() async throws {
        let service = try await service()
        try await running(service) {
            try await service.reports.accept(reports(0..<3))
            #expect(try await count(service) == 3)
            try await service.reports.accept([])
            try await service.reports.accept(reports(3..<4))
            #expect(try await count(service) == 4)
        }
    }

    @Test func `a repeated report counts once, also after a restart`() async throws {
        let service = try await service()
        try await running(service) {
            try await service.reports.accept(reports(0..<3) + reports(1..<2))
            try await service.reports.accept(reports(2..<5))
            try await service.reports.accept(reports(0..<1, device: "other"))
        }
        let restarted = try await service.restarted()
        try await running(restarted) { try await restarted.reports.accept(reports(0..<6)) }
        #expect(try await count(service) == 7)
    }

    @Test func `each request gets the result of its own reports`() async throws {
        let service = try await service()
        let mine = Task.immediate { try await service.reports.accept(reports(0..<2)) }
        let unknown = [
            Report(
                app: .default, eventID: "x", deviceID: "d", package: package, version: "9", event: "applied",
                time: Timestamp(milliseconds: 1), details: [])
        ]
        let other = Task.immediate { try await service.reports.accept(unknown + reports(1..<3)) }
        try await running(service) {
            let outcomes = [try await mine.value, try await other.value]
            #expect(outcomes == [[.stored, .stored], [.unknownVersion, .known, .stored]])
        }
        #expect(try await count(service) == 3)
    }

    @Test func `requests that wait together share a transaction, up to the size of a batch`() async throws {
        let service = try await service()
        let transactions = Counter()
        service.store.setBefore(.insertReports) { () throws(PlatformError) in transactions.increment() }
        var waiting: [Task<[ReportOutcome], any Error>] = []
        for number in 0..<50 {
            waiting.append(Task.immediate { try await service.reports.accept(reports(number..<number + 1)) })
        }
        // Not together with the fifty, which would exceed a batch.
        let large = reports(1000..<1000 + ReportIntake.batchSize)
        waiting.append(Task.immediate { try await service.reports.accept(large) })
        try await running(service) { for task in waiting { _ = try await task.value } }
        #expect(transactions.value == 2)
        #expect(try await count(service) == 50 + ReportIntake.batchSize)
    }

    @Test func `as many reports may wait as the capacity, and one more is refused with a time to retry`() async throws {
        let service = try await service()
        let half = ReportIntake.capacity / 2
        func accept(_ numbers: Range<Int>) -> Task<PlatformError.Code?, any Error> {
            Task.immediate { try await code { _ = try await service.reports.accept(reports(numbers)) } }
        }
        let waiting = [accept(0..<half), accept(0..<half + 1), accept(half..<2 * half), accept(0..<1)]
        try await running(service) {
            var codes: [PlatformError.Code?] = []
            for task in waiting { codes.append(try await task.value) }
            #expect(codes == [nil, .busy, nil, .busy])
            // There is room again.
            try await service.reports.accept(reports(0..<1))
        }
        #expect(try await count(service) == ReportIntake.capacity)
    }

    @Test func `at the end waiting reports are still stored, and no more are accepted`() async throws {
        let service = try await service()
        let waiting = Task.immediate { try await service.reports.accept(reports(0..<5)) }
        let loop = Task { await service.reports.run() }
        loop.cancel()
        await loop.value
        _ = try await waiting.value
        #expect(try await count(service) == 5)
        #expect(try await code { try await service.reports.accept(reports(5..<6)) } == .busy)
    }

    @Test func `a failure of the store fails only the requests whose reports it had`() async throws {
        let service = try await service()
        service.store.setBefore(.insertReports) { () throws(PlatformError) in throw storeFailure }
        try await running(service) {
            #expect(try await code { try await service.reports.accept(reports(0..<1)) } == .storageFailed)
            service.store.setBefore(.insertReports, nil)
            try await service.reports.accept(reports(1..<2))
        }
        #expect(try await count(service) == 1)
    }

    @Test func `as many reports are kept as configured, and an evicted report counts again after its id was forgotten`()
        async throws
    {
        let service = try await service()
        let intake = ReportIntake(
            store: service.store, deviceIDs: service.deviceIDs, clock: service.clock, window: ReportWindow(rows: 3),
            log: service.log)
        let loop = Task { await intake.run() }
        #expect(try await intake.accept(reports(0..<4)) == [.stored, .stored, .stored, .stored])
        // Only aggregated reports are evicted.
        #expect(try await intake.accept(reports(0..<1)) == [.known])
        #expect(try await service.aggregator.step() == 4)
        #expect(try await intake.accept(reports(1..<4)) == [.known, .known, .known])
        #expect(try await intake.accept(reports(0..<1)) == [.known])
        #expect(try await intake.accept(reports(4..<5)) == [.stored])
        #expect(try await count(service) == 5)
        #expect(try await service.aggregator.step() == 1)
        // By the service's clock.
        service.clock.advance(milliseconds: ReportWindow.lifetimeMilliseconds + 1)
        #expect(try await intake.accept(reports(9..<10)) == [.stored])
        #expect(try await intake.accept(reports(0..<1)) == [.stored])
        loop.cancel()
        await loop.value
    }

    @Test func `under load every report is stored once`() async throws {
        let service = try await service()
        try await running(service) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for device in 0..<40 {
                    group.addTask {
                        for number in 0..<10 {
                            try await service.reports.accept(reports(number..<number + 2, device: "\(device)"))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try await count(service) == 40 * 11)
    }
}
