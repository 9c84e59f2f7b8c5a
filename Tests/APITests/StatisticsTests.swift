import API
import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests the statistics of the API against devices whose reports are known.
@Suite(.scratchMemory, .timeLimit(.minutes(10)))
struct StatisticsTests {
    private static let path = "/api/v1/apps/default/packages/news/stats"

    private static func version(_ version: String) throws -> ReportedVersion {
        ReportedVersion(package: try #require(PackageID("news")), version: version)
    }

    /// Stores reports as `/report` does, in requests of up to 1,000.
    private func store(_ reports: [Report], in service: TestService) async throws {
        for start in stride(from: 0, to: reports.count, by: 1000) {
            _ = try await service.store.insertReports(
                Array(reports[start..<min(reports.count, start + 1000)]), at: service.clock.now(),
                keeping: ReportWindow())
        }
    }

    private func report(
        _ id: String, _ device: String, _ version: String, _ event: String, at time: Timestamp,
        _ details: [JSON.Member] = []
    ) throws -> Report {
        Report(
            app: .default, eventID: id, deviceID: device, package: try #require(PackageID("news")), version: version,
            event: event, time: time, details: details)
    }

    private func service() async throws -> TestService {
        let service = try await TestService()
        try await service.publish("1.0.0", ["index.html": "one"])
        try await service.publish("1.1.0", ["index.html": "two"])
        return service
    }

    private func get(_ service: TestService, _ query: String) async throws -> TestResponse {
        try await Desk(service).call("GET", Self.path + query)
    }

    @Test func `every number about 5,000 devices is exact, in spite of repetitions and other orders`() async throws {
        let service = try await service()
        let now = service.clock.now()
        var reports: [Report] = []
        var durations: [Int] = []
        for device in 0..<5_000 {
            let (id, version) = ("device-\(device)", device % 5 == 0 ? "1.1.0" : "1.0.0")
            let time = now.adding(milliseconds: -Int64(device % 50) * 3_600_000)
            let facts: [JSON.Member] = [
                .init("appVersion", .string("8.\(device % 4)")),
                .init("platform", .string(device % 3 == 0 ? "ios" : "android")),
            ]
            guard device % 10 != 9 else {
                let reason = JSON.string(device % 20 == 9 ? "disk full" : "timeout")
                reports.append(
                    try report("\(id) 1", id, version, "downloadFailed", at: time, facts + [.init("reason", reason)]))
                continue
            }
            reports.append(
                try report(
                    "\(id) 1", id, version, "downloaded", at: time, facts + [.init("duration", .integer(Int64(device)))]
                ))
            durations.append(device)
            if device % 10 < 8 { reports.append(try report("\(id) 2", id, version, "applied", at: time, facts)) }
            // The report of an earlier step may be lost.
            if device % 10 < 7 { reports.append(try report("\(id) 3", id, version, "opened", at: time, facts)) }
            // A clock that is years off.
            if device % 100 == 0 {
                reports.append(
                    try report("\(id) 4", id, version, "opened", at: Timestamp(milliseconds: 86_400_000), facts))
            }
        }
        var generator = SystemRandomNumberGenerator()
        try await store((reports + reports.prefix(4_000)).shuffled(using: &generator), in: service)
        let half = try #require(try await service.store.reportBacklog(upTo: 7_000))
        #expect(half.reports.count == 7_000)
        var rest = half
        while let step = rest.step(at: now) {
            _ = try await service.store.addTotals(of: step)
            rest.remove(step)
        }
        for isAggregated in [false, true] {
            if isAggregated { while try await service.aggregator.step() > 0 {} }
            let all = try await get(service, "?bucket=all&groupBy=version,event").json
            var expected: [String: (reports: Int, devices: Set<String>)] = [:]
            for report in reports {
                expected["\(report.version) \(report.event)", default: (0, [])].reports += 1
                expected["\(report.version) \(report.event)", default: (0, [])].devices.insert(report.deviceID)
            }
            let rows = try #require(all["series"]?.elements)
            #expect(rows.count == expected.count)
            for row in rows {
                let sum = try #require(expected["\(row["version"]?.string ?? "") \(row["event"]?.string ?? "")"])
                #expect(row["reports"]?.integer == Int64(sum.reports))
                #expect(row["devices"]?.integer == Int64(sum.devices.count) && row["devicesExact"] == true)
            }
            for (version, share) in [("1.0.0", Set([1, 2, 3, 4, 6, 7, 8, 9])), ("1.1.0", Set([0, 5]))] {
                let steps = [(0..<10), (0..<9), (0..<8), (0..<7)].map { 500 * share.intersection($0).count }
                let funnel = try #require(all["funnel"]?[version])
                #expect(
                    ["offered", "downloaded", "applied", "activated"].map { funnel[$0]?["devices"]?.integer }
                        == steps.map(Int64.init), "\(version)")
            }
            let reasons = all["reasons"]?.elements?.map {
                "\($0["reason"]?.string ?? "") \($0["reports"]?.integer ?? 0)"
            }
            #expect(reasons == ["disk full 250", "timeout 250"])
            // By the hour: the devices of 50 hours, and the clocks that are off at the present one.
            let hours = try await get(service, "?bucket=hour").json["series"]?.elements ?? []
            #expect(hours.count == 50)
            #expect(hours.reduce(0) { $0 + ($1["reports"]?.integer ?? 0) } == Int64(reports.count))
            #expect(hours.reduce(0) { $0 + ($1["corrected"]?.integer ?? 0) } == 50)
            #expect(hours.last?["corrected"] == 50)
            #expect(hours.first?["devices"] == 100)
            let ios = try await get(service, "?bucket=all&platform=ios&appVersion=8.1&event=applied").json["series"]
            let matching = reports.filter { report in
                report.event == "applied" && report.details.contains(#""ios""#) && report.details.contains(#""8.1""#)
            }
            #expect(ios?.elements?.first?["reports"]?.integer == Int64(matching.count))
            let sums = try await get(service, "?bucket=all&event=downloaded").json["series"]?.elements?.first?[
                "durations"]
            #expect(sums?["count"]?.integer == Int64(durations.count))
            for (name, share) in [("p50", 50), ("p90", 90), ("p99", 99)] {
                let exact = durations.sorted()[durations.count * share / 100 - 1]
                #expect(abs(Int(try #require(sums?[name]?.integer)) - exact) * 32 <= exact + 32)
            }
        }
    }

    @Test func `fifty thousand devices are estimated within 2.5 percent`() async throws {
        let service = try await service()
        let now = service.clock.now()
        try await store(
            try (0..<50_000).map { try report("e", "device-\($0)", "1.0.0", "opened", at: now) }, in: service)
        while try await service.store.waitingReports() > ReportSeries.maximumWaiting {
            _ = try await service.aggregator.step()
        }
        for _ in 0...1 {
            let row = try #require(try await get(service, "?bucket=all").json["series"]?.elements?.first)
            #expect(row["reports"] == 50_000 && row["devicesExact"] == false)
            #expect(abs(try #require(row["devices"]?.integer) - 50_000) <= 1_250)
            while try await service.aggregator.step() > 0 {}
        }
    }

    @Test func `the time is rounded to the bucket, and rows outside of it are left out`() async throws {
        let service = try await service()
        let day = ReportTotal.Span.day.start(of: service.clock.now())
        service.clock.advance(milliseconds: 12 * 3_600_000)
        for (number, hours) in [-30, -20, -1, 0, 1].enumerated() {
            let time = day.adding(milliseconds: Int64(hours) * 3_600_000)
            try await store([try report("\(number)", "d", "1.0.0", "opened", at: time)], in: service)
        }
        func reports(_ query: String) async throws -> [Int64] {
            try await get(service, query).json["series"]?.elements?.compactMap { $0["reports"]?.integer } ?? []
        }
        let (from, to) = (day.adding(milliseconds: -3_600_000), day.adding(milliseconds: 1))
        #expect(try await reports("?bucket=hour&from=\(from.rfc3339)&to=\(to.rfc3339)") == [1, 1])
        #expect(try await reports("?bucket=day&from=\(from.rfc3339)&to=\(to.rfc3339)") == [2, 2])
        #expect(try await reports("?from=\(from.rfc3339)") == [2, 2])
        #expect(try await reports("?bucket=all") == [5])
        let json = try await get(service, "?bucket=day&from=\(from.rfc3339)&to=\(to.rfc3339)").json
        #expect(json["from"]?.string == day.adding(milliseconds: -86_400_000).rfc3339)
        #expect(json["to"]?.string == day.adding(milliseconds: 86_400_000).rfc3339)
        #expect(json["asOf"]?.string == service.clock.now().rfc3339)
        #expect(json["aggregatedThrough"] == nil)
        _ = try await service.aggregator.step()
        #expect(
            try await get(service, "?bucket=day").json["aggregatedThrough"]?.string == service.clock.now().rfc3339)
    }

    @Test func `a query for half of a day that is kept only as a day returns the whole day`() async throws {
        let service = try await service()
        let day = ReportTotal.Span.day.start(of: service.clock.now())
        try await store(
            try (0..<24).map { hour in
                try report("\(hour)", "d", "1.0.0", "opened", at: day.adding(milliseconds: Int64(hour) * 3_600_000))
            }, in: service)
        _ = try await service.aggregator.step()
        service.clock.advance(milliseconds: 10 * 86_400_000)
        while try await service.aggregator.tidy() {}
        for (from, to) in [(0, 12), (12, 24)] {
            let times = [from, to].map { day.adding(milliseconds: Int64($0) * 3_600_000).rfc3339 }
            for bucket in ["hour", "all"] {
                let json = try await get(service, "?bucket=\(bucket)&from=\(times[0])&to=\(times[1])").json
                #expect(json["from"]?.string == day.rfc3339)
                #expect(json["to"]?.string == day.adding(milliseconds: 86_400_000).rfc3339)
                #expect(json["series"]?.elements?.compactMap { $0["reports"] } == [24])
                #expect(json["series"]?.elements?.first?["span"]?.string == (bucket == "hour" ? "day" : nil))
            }
        }
    }

    @Test func `a release is compared as a number`() async throws {
        let service = try await service()
        try await service.release("1.0.0")
        try await store(
            [try report("a", "d", "1.0.0", "opened", at: service.clock.now(), [.init("release", 1)])], in: service)
        for text in ["001", "%2B1"] {
            let rows = try await get(service, "?bucket=all&release=\(text)").json["series"]?.elements
            #expect(rows?.first?["reports"] == 1)
        }
    }

    @Test func `a text of a filter is read as that of a report`() async throws {
        let service = try await service()
        let long = String(repeating: "x", count: 80)
        try await store(
            [
                try report(
                    "a", "d", "1.0.0", "crash", at: service.clock.now(),
                    [.init("reason", "e\u{301}"), .init("platform", .string(long))])
            ], in: service)
        for isAggregated in [false, true] {
            if isAggregated { _ = try await service.services.aggregator.step() }
            for filter in ["reason=e%CC%81", "reason=%C3%A9", "platform=\(long)"] {
                let json = try await get(service, "?bucket=all&\(filter)").json
                #expect(json["series"]?.elements?.first?["reports"] == 1)
                #expect(json["reasons"]?.elements?.first?["event"] == "crash")
            }
        }
    }

    @Test func `devices never outnumber reports, whatever ids they choose`() throws {
        let now = Timestamp(milliseconds: 86_400_000)
        let query = ReportQuery(from: nil, to: nil, bucket: .all, filters: [:], groups: [], at: now)
        var series = ReportSeries(query, versions: [1: try Self.version("1.0.0")])
        // Each register has the highest rank.
        let devices = DeviceSketch((0..<UInt64(DeviceSketch.registerCount)).map { $0 << 50 })
        #expect(devices.count > 1_000_000)
        let key = ReportTotal.Key(version: 1, span: .hour, start: now, event: "failed")
        try series.add(
            ReportTotal(key: key, reports: 20_000, corrected: 0, devices: devices, durations: DurationSketch()))
        #expect(series.rows.map(\.devices.count) == [20_000])
        #expect(series.reasons.map(\.devices.count) == [20_000])
        #expect(series.funnels.map { $0.steps.map(\.count) } == [[20_000, 0, 0, 0]])
    }

    /// Stores reports about two packages of an app, and one about another app's.
    private func serviceWithPackages() async throws -> TestService {
        let service = try await service()
        try await service.publish("1.0.0", of: "shop", ["index.html": "one"])
        let now = service.clock.now()
        func report(_ id: String, _ device: String, _ package: String, _ event: String) throws -> Report {
            Report(
                app: .default, eventID: id, deviceID: device, package: try #require(PackageID(package)),
                version: "1.0.0", event: event, time: now, details: [.init("platform", .string("p\(id)"))])
        }
        try await store(
            [
                try report("1", "ann", "news", "opened"), try report("2", "bob", "news", "failed"),
                try report("3", "ann", "shop", "opened"), try report("4", "cy", "shop", "opened"),
            ], in: service)
        return service
    }

    private func getApp(_ service: TestService, _ query: String = "") async throws -> TestResponse {
        try await Desk(service).call("GET", "/api/v1/apps/default/stats" + query, as: .publisher)
    }

    @Test(arguments: [false, true])
    func `the statistics of an app count a device once over its packages`(areAggregated: Bool) async throws {
        let service = try await serviceWithPackages()
        if areAggregated { #expect(try await service.aggregator.step() == 4) }
        #expect(
            try await getApp(service).text == """
                {"app":"default","packages":{"news":{"1.0.0":{"failed":{"reports":1,"devices":1},\
                "opened":{"reports":1,"devices":1}}},"shop":{"1.0.0":{"opened":{"reports":2,"devices":2}}}}}
                """)
        func rows(_ query: String) async throws -> [String] {
            let response = try await getApp(service, "?bucket=all" + query)
            #expect(response.status == 200, "\(response.text)")
            return (try response.json["series"]?.elements ?? []).map { row in
                ["package", "version", "event", "reports", "devices"].compactMap { name in
                    row[name].map { $0.string ?? $0.text }
                }.joined(separator: " ")
            }
        }
        #expect(try await rows("") == ["4 3"])
        #expect(try await rows("&groupBy=package") == ["news 2 2", "shop 2 2"])
        #expect(try await rows("&groupBy=version,package&event=opened") == ["news 1.0.0 1 1", "shop 1.0.0 2 2"])
        #expect(try await rows("&package=shop&groupBy=event") == ["opened 2 2"])
        for package in ["Shop", "none"] { #expect(try await rows("&package=" + package) == []) }
        #expect(try await rows("&platform=p3&groupBy=package") == ["shop 1 1"])
        let all = try await getApp(service, "?bucket=all").json
        #expect(all["app"] == "default" && all["package"] == nil)
        #expect(all["funnel"]?["shop"]?["1.0.0"]?["activated"]?["devices"] == 2)
        #expect(all["funnel"]?["news"]?["1.0.0"]?["offered"]?["devices"] == 2)
        #expect(all["reasons"]?.elements?.map { $0["event"] } == ["failed"])
        let csv = try await getApp(service, "?bucket=all&groupBy=package&format=csv").text
        #expect(csv.hasPrefix("start,package,reports,corrected,devices,"))
        let lines = try await getApp(service, "?bucket=all&groupBy=package&format=ndjson").text
        #expect(lines.split(separator: "\n").count == 2)
    }

    @Test func `the statistics of a package and of another app have no reports of other packages`() async throws {
        let service = try await serviceWithPackages()
        let desk = try await Desk(service)
        #expect(try await desk.call("PUT", "/api/v1/apps/other").status == 201)
        #expect(try await desk.call("GET", "/api/v1/apps/other/stats").text == #"{"app":"other","packages":{}}"#)
        let other = try await desk.call("GET", "/api/v1/apps/other/stats?bucket=all").json
        #expect(other["series"] == .array([]) && other["funnel"] == .object([]))
        #expect(try await desk.call("GET", "/api/v1/apps/none/stats").status == 404)
        let news = try await get(service, "?bucket=all").json
        #expect(news["series"]?.elements?.map { $0["devices"] } == [2] && news["app"] == nil)
        for query in ["?package=news", "?groupBy=package"] {
            #expect(try await get(service, query).code == "invalid-request")
        }
        for query in ["?package=", "?package=a%20b", "?groupBy=package,package", "?groupBy=device"] {
            #expect(try await getApp(service, query).code == "invalid-request", "\(query)")
        }
    }

    @Test func `a query may have 10,000 funnels`() throws {
        let now = Timestamp(milliseconds: 86_400_000)
        let query = ReportQuery(from: nil, to: nil, bucket: .all, filters: [:], groups: [], at: now)
        let versions = try (0...Int64(ReportSeries.maximumRows)).map { ($0, try Self.version("\($0)")) }
        var series = ReportSeries(query, versions: Dictionary(uniqueKeysWithValues: versions))
        func add(_ version: Int) throws {
            let key = ReportTotal.Key(version: Int64(version), span: .hour, start: now, event: "opened")
            try series.add(
                ReportTotal(key: key, reports: 1, corrected: 0, devices: DeviceSketch([1]), durations: DurationSketch())
            )
        }
        for version in 0..<ReportSeries.maximumRows { try add(version) }
        #expect(series.funnels.count == ReportSeries.maximumRows)
        #expect(throws: ReportSeries.LimitError.rows) { try add(ReportSeries.maximumRows) }
    }

    @Test func `rows come as CSV and as NDJSON`() async throws {
        let service = try await service()
        let now = service.clock.now()
        try await store(
            [
                try report(
                    "a", "d1", "1.0.0", "failed", at: now, [.init("reason", "a \"b\", c"), .init("duration", 9)]),
                try report("b", "d1", "1.0.0", "failed", at: now, [.init("reason", "=1+1")]),
                try report("c", "d1", "1.0.0", "\tg", at: now), try report("d", "d1", "1.0.0", "＝h", at: now),
                try report("e", "d1", "1.0.0", "\u{1}=i", at: now),
            ], in: service)
        let csv = try await get(service, "?bucket=all&groupBy=event,reason&format=csv")
        #expect(csv["Content-Type"] == "text/csv; charset=utf-8")
        let lines = csv.text.split(separator: "\r\n").map(String.init)
        #expect(lines.first == "start,event,reason,reports,corrected,devices,devicesExact,durations,p50,p90,p99")
        #expect(lines.contains { $0.contains(",'\tg,") } && lines.contains { $0.contains(",'＝h,") })
        #expect(lines.contains { $0.contains(",'\u{1}=i,") })
        #expect(lines.dropFirst(3).first?.hasSuffix(",failed,'=1+1,1,0,1,true,0,,,") == true)
        #expect(lines.dropFirst(4).first?.hasSuffix(#",failed,"a ""b"", c",1,0,1,true,1,9,9,9"#) == true)
        let ndjson = try await get(service, "?bucket=all&groupBy=reason&format=ndjson")
        #expect(ndjson["Content-Type"] == "application/x-ndjson")
        let rows = ndjson.text.split(separator: "\n").compactMap { JSON(parsing: Array($0.utf8)) }
        #expect(rows.map { $0["reason"]?.string } == ["", "=1+1", "a \"b\", c"])
    }

    @Test(
        arguments: [
            "?buckets=day", "?bucket=week", "?bucket=day&bucket=day", "?from=yesterday", "?to=1", "?groupBy=",
            "?groupBy=event,event", "?groupBy=device", "?format=xml", "?release=x", "?release=-1",
            "?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", "?from=2026-02-01T00:00:00Z&to=2026-02-01T00:00:00Z",
        ])
    func `an unknown or malformed parameter is refused`(query: String) async throws {
        let response = try await get(try await service(), query)
        #expect(response.status == 400 && response.code == "invalid-request")
    }

    @Test func `a response has 10,000 rows, and a query for more is refused`() async throws {
        let service = try await service()
        let now = service.clock.now()
        let query = ReportQuery(from: nil, to: nil, bucket: .all, filters: [:], groups: [.event], at: now)
        var series = ReportSeries(query, versions: [1: try Self.version("1.0.0")])
        func add(_ number: Int) throws {
            let key = ReportTotal.Key(
                version: 1, span: .hour, start: ReportTotal.Span.hour.start(of: now), event: "\(number)")
            try series.add(
                ReportTotal(key: key, reports: 1, corrected: 0, devices: DeviceSketch([1]), durations: DurationSketch())
            )
        }
        for number in 0..<ReportSeries.maximumRows { try add(number) }
        #expect(series.rows.count == ReportSeries.maximumRows)
        #expect(throws: ReportSeries.LimitError.rows) { try add(ReportSeries.maximumRows) }
    }
}
