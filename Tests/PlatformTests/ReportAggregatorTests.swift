import Domain
import Execution
import Ground
import Platform
import ServiceKit
import Store
import Synchronization
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ReportAggregatorTests {
    private let package: PackageID

    init() throws {
        package = try #require(PackageID("news"))
    }

    private func reports(_ numbers: Range<Int>) -> [Report] {
        numbers.map { number in
            Report(
                app: .default, eventID: "\(number)", deviceID: "\(number % 10)", package: package, version: "1.0.0",
                event: "applied", time: Timestamp(milliseconds: 1), details: [])
        }
    }

    private func service() async throws -> TestService {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        return service
    }

    private func insert(_ reports: [Report], into service: TestService) async throws {
        _ = try await service.store.insertReports(reports, at: service.clock.now(), keeping: ReportWindow())
    }

    private func series(_ service: TestService) async throws -> ReportSeries.Row? {
        let now = service.clock.now()
        let query = ReportQuery(from: nil, to: nil, bucket: .all, filters: [:], groups: [], at: now)
        return try await service.store.reportSeries(of: package, in: .default, query, at: now).rows.first
    }

    @Test func `stored reports are aggregated soon, also those of the spool`() async throws {
        let service = try await service()
        let aggregator = ReportAggregator(
            store: service.store, work: service.work, clock: service.clock, log: service.log, gathering: .zero)
        let loops = [
            Task { await service.reports.run() }, Task { await aggregator.run { Issue.record($0) } },
        ]
        try await service.reports.accept(reports(0..<25))
        while try await service.store.waitingReports() > 0 { try await Task.sleep(for: .milliseconds(10)) }
        let row = try await series(service)
        #expect(row?.reports == 25 && row?.devices.count == 10)
        for loop in loops {
            loop.cancel()
            await loop.value
        }
    }

    @Test(arguments: [HookedStore.Method.reportBacklog, .addTotals], [true, false])
    func `a failure before or after a step of the store neither loses nor repeats a report`(
        method: HookedStore.Method, isBefore: Bool
    ) async throws {
        let service = try await service()
        try await insert(reports(0..<25), into: service)
        let fail: HookedStore.Hook = { () throws(PlatformError) in throw storeFailure }
        if isBefore { service.store.setBefore(method, fail) } else { service.store.setAfter(method, fail) }
        #expect(try await code { _ = try await service.aggregator.step() } == .storageFailed)
        service.store.setBefore(method, nil)
        service.store.setAfter(method, nil)
        try await insert(reports(20..<30), into: service)
        // Like the next process.
        let restarted = try await service.restarted()
        while try await restarted.aggregator.step() > 0 {}
        let row = try await series(restarted)
        #expect(row?.reports == 30 && row?.devices.count == 10)
        #expect(try await restarted.store.reportCounts(of: package, in: .default).map(\.reports) == [30])
    }

    @Test func `two aggregators at once count each report once`() async throws {
        let service = try await service()
        let other = try await service.restarted()
        for start in stride(from: 0, to: 200, by: 20) {
            try await insert(reports(start..<start + 20), into: service)
            await withTaskGroup { group in
                for one in [service, other] {
                    group.addTask { _ = try? await one.aggregator.step() }
                }
            }
        }
        while try await other.aggregator.step() > 0 {}
        #expect(try await series(service)?.reports == 200)
    }

    @Test func `old hours become days, which a clock that jumps ahead does not remove`() async throws {
        let service = try await service()
        try await insert(reports(0..<5), into: service)
        _ = try await service.aggregator.step()
        let day: Int64 = 86_400_000
        service.clock.advance(milliseconds: 5 * day)
        #expect(try await service.aggregator.tidy())
        #expect(try await !service.aggregator.tidy())
        #expect(try await series(service)?.reports == 5)
        service.clock.advance(milliseconds: 4000 * day)
        #expect(try await !service.aggregator.tidy())
        service.clock.advance(milliseconds: -4000 * day)
        #expect(try await series(service)?.reports == 5)
        #expect(try await service.store.reportCounts(of: package, in: .default).map(\.reports) == [5])
    }

    @Test func `a query whose totals change begins anew and counts each report once`() async throws {
        let service = try await service()
        try await insert(reports(0..<5), into: service)
        _ = try await service.aggregator.step()
        try await insert(reports(5..<9), into: service)
        let pages = Mutex(0)
        service.store.setBefore(.totals) { () throws(PlatformError) in
            let isFirst = pages.withLock { pages in
                pages += 1
                return pages == 1
            }
            if isFirst { _ = try await service.aggregator.step() }
        }
        #expect(try await series(service)?.reports == 9)
        #expect(pages.withLock(\.self) == 2)
    }

    @Test func `a query of totals that always change is busy after its patience`() async throws {
        let service = try await service()
        try await insert(reports(0..<1), into: service)
        _ = try await service.aggregator.step()
        let next = Mutex(1)
        service.store.setBefore(.totals) { () throws(PlatformError) in
            let number = next.withLock { number in
                number += 1
                return number
            }
            _ = try await service.store.insertReports(
                reports(number..<number + 1), at: service.clock.now(), keeping: ReportWindow())
            _ = try await service.aggregator.step()
        }
        let now = service.clock.now()
        let query = ReportQuery(from: nil, to: nil, bucket: .all, filters: [:], groups: [], at: now)
        let code = try await code {
            _ = try await service.store.reportSeries(of: package, in: .default, query, at: now, patience: .zero)
        }
        #expect(code == .busy)
    }

    @Test func `a step waits for queries, and a query hurries a step`() async throws {
        let service = try await service()
        try await insert(reports(0..<5), into: service)
        let aggregator = ReportAggregator(
            store: service.store, work: service.work, clock: service.clock, log: service.log,
            gathering: .seconds(3600))
        let begun = AsyncFlag()
        service.store.setAfter(.reportBacklog) { () throws(PlatformError) in begun.set() }
        let step = Task { try await aggregator.step() }
        try await aggregator.withStableTotals { await begun.wait() }
        #expect(try await step.value == 5)
        try await insert(reports(5..<9), into: service)
        let loop = Task { await aggregator.run { Issue.record($0) } }
        while try await service.store.waitingReports() > 0 { await aggregator.aggregateNow(upTo: .seconds(1)) }
        loop.cancel()
        await loop.value
    }

    @Test func `an unreadable total begins anew, is logged, and does not stop the aggregation`() async throws {
        let service = try await service()
        try await insert(reports(0..<5), into: service)
        _ = try await service.aggregator.step()
        let rows = try Database(.file(service.folder + "/larder.sqlite"))
        try rows.executeScript("UPDATE report_totals SET devices = x'07'")
        #expect(try DataExamination.findings(of: service).map(\.code).count { $0 == .totalUnreadable } == 3)
        try await insert(reports(5..<9), into: service)
        #expect(try await service.aggregator.step() == 4)
        let row = try await series(service)
        #expect(row?.reports == 9 && row?.devices.count == 4)
        #expect(service.log.all.count { $0.hasPrefix("reports.total-unreadable ") } == 3)
    }

    private func insert(waiting count: Int, from first: Int = 0, into service: TestService) async throws {
        for start in stride(from: first, to: first + count, by: 20_000) {
            try await insert(reports(start..<min(first + count, start + 20_000)), into: service)
        }
    }

    private func statistics(
        _ service: TestService, patience: Duration = ReportStatistics.patience
    ) -> ReportStatistics {
        ReportStatistics(
            store: service.store, aggregator: service.aggregator, work: service.work, clock: service.clock,
            patience: patience)
    }

    private func query(_ service: TestService) -> ReportQuery {
        ReportQuery(from: nil, to: nil, bucket: .all, filters: [:], groups: [], at: service.clock.now())
    }

    @Test func `statistics include every acknowledged report, however many wait`() async throws {
        let service = try await service()
        let waiting = ReportSeries.maximumWaiting + 1
        try await insert(waiting: waiting, into: service)
        let loop = Task { await service.aggregator.run { Issue.record($0) } }
        #expect(try await statistics(service).counts(of: package, in: .default).map(\.reports) == [waiting])
        loop.cancel()
        await loop.value
    }

    @Test func `statistics are busy if more reports than a query counts are not aggregated in time`() async throws {
        let service = try await service()
        let (statistics, limit) = (statistics(service, patience: .zero), ReportSeries.maximumWaiting)
        try await insert(waiting: limit, into: service)
        #expect(try await statistics.counts(of: package, in: .default).map(\.reports) == [limit])
        #expect(try await statistics.series(of: package, in: .default, query(service)).series.rows[0].reports == limit)
        try await insert(waiting: 1, from: limit, into: service)
        #expect(try await code { _ = try await statistics.counts(of: package, in: .default) } == .busy)
        #expect(
            try await code { _ = try await statistics.series(of: package, in: .default, query(service)) } == .busy)
    }

    @Test func `more reports than a query counts may arrive before it reads, and all stored before it are counted`()
        async throws
    {
        let service = try await service()
        let limit = ReportSeries.maximumWaiting
        try await insert(waiting: 7, into: service)
        let number = Mutex(7)
        service.store.setBefore(.reportSelection) { () throws(PlatformError) in
            let first = number.withLock { number in
                number += limit + 1
                return number - limit - 1
            }
            do { try await insert(waiting: limit + 1, from: first, into: service) } catch { throw storeFailure }
        }
        // Nothing is aggregated.
        let statistics = statistics(service, patience: .zero)
        #expect(try await statistics.series(of: package, in: .default, query(service)).series.rows[0].reports == limit)
        #expect(try await code { _ = try await statistics.counts(of: package, in: .default) } == .busy)
        let release = try await release(service)
        let counts = try await statistics.healthCounts(
            of: release, isOnlyRelease: true, judging: [.crashes], since: Timestamp(milliseconds: 0), after: nil)
        #expect(counts.release.devices == 10)
    }

    @Test func `totals that change between all pages delay no look at a release`() async throws {
        let service = try await service()
        try await insert(reports(0..<5), into: service)
        _ = try await service.aggregator.step()
        let next = Mutex(5)
        service.store.setBefore(.totals) { () throws(PlatformError) in
            let number = next.withLock { number in
                number += 1
                return number - 1
            }
            _ = try await service.store.insertReports(
                reports(number..<number + 1), at: service.clock.now(), keeping: ReportWindow())
            _ = try await service.aggregator.step()
        }
        let counts = try await statistics(service, patience: .zero).healthCounts(
            of: release(service), isOnlyRelease: true, judging: [.crashes], since: Timestamp(milliseconds: 0),
            after: nil)
        // Read again once, since totals that stay the same are better.
        #expect(counts.release.devices == 7 && next.withLock(\.self) == 7)
    }

    private func release(_ service: TestService) async throws -> Release {
        try await service.release("1.0.0")
        return try #require(try await service.store.releases(of: package, in: .default).first)
    }
}
