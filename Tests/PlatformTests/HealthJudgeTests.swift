import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// The use case that judges releases from reports, with a manual clock.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct HealthJudgeTests {
    private let package: PackageID

    init() throws {
        package = try #require(PackageID("news"))
    }

    private func policy(_ action: HealthAction = .halt, devices: Int = 50) -> HealthPolicy {
        HealthPolicy(
            devices: devices,
            rules: [HealthRule(metric: .crashes, ceiling: BasisPoints(500), aboveControl: 25, action: action)])
    }

    /// Returns a service with 1.0.0 at everyone, and 1.1.0 with rules.
    private func service(
        _ policy: HealthPolicy, plan: [(percent: Int, hours: Int64)] = []
    ) async throws -> (TestService, ReleaseID) {
        let service = try await TestService()
        try await service.ship("1.0.0")
        try await service.publishSample("1.1.0")
        var terms = ReleaseTerms(salt: .random(by: service.cryptography), health: policy)
        if !plan.isEmpty {
            let steps = plan.map {
                Rollout.Step(percent: BasisPoints($0.percent * 100) ?? .all, after: $0.hours * 3_600_000)
            }
            terms.rollout = Rollout(percent: .none, steps: steps)
            terms.rollout.holdSteps(after: 0)
        }
        let draft = ReleaseDraft(
            app: .default, package: package, channel: .production, version: try #require(VersionString("1.1.0")),
            terms: terms, activeTime: nil)
        let made = try await service.releaser.release(ReleaseRequest(draft), by: .server)
        return (service, made.status.group.members[0].id)
    }

    /// Releases a set of two packages, `common` and `news`.
    private func releaseSet(_ terms: ReleaseTerms, of service: TestService) async throws -> ReleaseGroup.ID {
        var drafts: [ReleaseDraft] = []
        for name in ["common", "news"] {
            try await service.publishSample("1.1.0", of: name)
            drafts.append(
                ReleaseDraft(
                    app: .default, package: try #require(PackageID(name)), channel: .production,
                    version: try #require(VersionString("1.1.0")), terms: terms, activeTime: nil))
        }
        return try await service.releaser.release(try ReleaseRequest(setOf: drafts), by: .server).status.group.id
    }

    /// Stores a report of each device, about the package `news` unless another one is given.
    private func report(
        _ event: String, _ version: String = "1.1.0", of other: PackageID? = nil, from devices: Range<Int>,
        to service: TestService
    ) async throws {
        let (now, package) = (service.clock.now(), other ?? package)
        let reports = devices.map { device in
            Report(
                app: .default, eventID: "\(package) \(event) \(version) \(now.milliseconds)",
                deviceID: "\(version) \(device)", package: package, version: version, event: event, time: now,
                details: [])
        }
        _ = try await service.store.insertReports(reports, at: now, keeping: ReportWindow())
    }

    private func pass(_ service: TestService) async throws {
        for error in await service.healthJudge.pass() { throw error }
    }

    private func status(_ id: ReleaseID, _ service: TestService) async throws -> Releaser.Status {
        try await service.releaser.find(.release(id, of: package), of: service.app)
    }

    private func verdict(_ id: ReleaseID, _ service: TestService) async throws -> JSON? {
        let members = try await status(id, service).group.members
        return try await service.healthJudge.verdicts(on: members)[id]
    }

    private func actions(_ service: TestService) async throws -> [String] {
        try await service.store.audit(before: nil, limit: 100).map(\.entry).reversed()
            .filter { $0.actor == "server" && ($0.action.hasPrefix("release.")) }.map(\.action)
    }

    @Test func `a release that crashes is halted, once, with the numbers in the audit log`() async throws {
        let (service, id) = try await service(policy())
        try await report("opened", "1.0.0", from: 0..<500, to: service)
        try await report("opened", from: 0..<49, to: service)
        try await report("crash", from: 0..<49, to: service)
        try await pass(service)
        #expect(try await verdict(id, service)?["note"]?.string?.contains("49 of 50 devices") == true)
        #expect(try await status(id, service).state == .active)
        try await report("crash", from: 49..<50, to: service)
        try await pass(service)
        try await pass(service)
        #expect(try await status(id, service).state == .halted)
        #expect(try await actions(service).suffix(2) == ["release.unhealthy", "release.halt"])
        let entry = try #require(
            try await service.store.audit(before: nil, limit: 9).first { $0.entry.action == "release.unhealthy" })
        let details = JSON.object(entry.entry.details)
        #expect(entry.entry.subject == "news@1.1.0" && details["metric"] == "crashes")
        #expect(details["devices"] == .integer(50) && details["affected"] == .integer(50))
        #expect(details["control"]?["devices"] == .integer(500) && details["release"] == .integer(id.value))
        #expect(try service.entry()?.current?.release.version.text == "1.0.0")
    }

    @Test func `a release as good as the others goes on, whatever one device repeats`() async throws {
        let (service, id) = try await service(policy())
        try await report("opened", "1.0.0", from: 0..<500, to: service)
        try await report("opened", from: 0..<100, to: service)
        for _ in 0..<300 {
            service.clock.advance(milliseconds: 1000)
            try await report("crash", from: 0..<1, to: service)
        }
        try await pass(service)
        #expect(try await verdict(id, service)?["state"]?.string == "healthy")
        #expect(try await verdict(id, service)?["rules"]?.elements?[0]["affected"] == .integer(1))
    }

    @Test func `aggregated and waiting reports count alike`() async throws {
        let (service, id) = try await service(policy())
        try await report("crash", from: 0..<30, to: service)
        _ = try await service.aggregator.step()
        try await report("crash", from: 20..<50, to: service)
        try await pass(service)
        #expect(try await verdict(id, service)?["devices"] == .integer(50))
        #expect(try await status(id, service).state == .halted)
    }

    @Test func `a release is judged while more reports wait than a query counts`() async throws {
        let (service, id) = try await service(policy())
        try await report("crash", from: 0..<60, to: service)
        for _ in 0...ReportSeries.maximumWaiting / 4000 {
            service.clock.advance(milliseconds: 1)
            try await report("opened", "1.0.0", from: 0..<4000, to: service)
        }
        #expect(try await service.store.waitingReports() > ReportSeries.maximumWaiting)
        try await pass(service)
        #expect(try await status(id, service).state == .halted)
    }

    @Test(arguments: [(HealthAction.pause, ReleaseState.paused), (.halt, .halted), (.rollBack, .rolledBack)])
    func `a rule takes its action`(action: HealthAction, state: ReleaseState) async throws {
        let (service, id) = try await service(policy(action))
        try await report("crash", from: 0..<60, to: service)
        try await pass(service)
        #expect(try await status(id, service).state == state)
        #expect(try service.entry()?.current?.release.version.text == (action == .pause ? "1.1.0" : "1.0.0"))
    }

    @Test func `a release without an earlier one is halted instead of rolled back`() async throws {
        let service = try await TestService()
        try await service.ship("1.1.0")
        let release = try #require(try await service.store.releases(of: package, in: .default).first)
        _ = try await service.releaser.judge(
            .release(release.id, of: package), of: service.app, by: policy(.rollBack), ifMatch: nil, author: .server)
        try await report("crash", from: 0..<60, to: service)
        try await pass(service)
        #expect(try await status(release.id, service).state == .halted)
    }

    @Test func `a rule with a stronger action trips after a weaker one`() async throws {
        let (service, id) = try await service(
            HealthPolicy(rules: [
                HealthRule(metric: .whiteScreens, ceiling: BasisPoints(500), action: .pause),
                HealthRule(metric: .crashes, ceiling: BasisPoints(500)),
            ]))
        try await report("whiteScreen", from: 0..<60, to: service)
        try await pass(service)
        try await pass(service)
        #expect(try await status(id, service).state == .paused)
        try await report("crash", from: 0..<60, to: service)
        try await pass(service)
        try await pass(service)
        #expect(try await status(id, service).state == .halted)
        #expect(
            try await actions(service).suffix(4)
                == ["release.unhealthy", "release.pause", "release.unhealthy", "release.halt"])
    }

    @Test func `a completed release that cannot be paused is reported once`() async throws {
        let (service, id) = try await service(policy(.pause))
        try await service.apply(.complete, to: id)
        try await report("crash", from: 0..<60, to: service)
        for _ in 1...3 { try await pass(service) }
        #expect(try await status(id, service).state == .completed)
        #expect(try await actions(service).filter { $0 == "release.unhealthy" }.count == 1)
        #expect(try await verdict(id, service)?["state"]?.string == "unhealthy")
    }

    @Test func `an operator who resumes a release is not overruled by earlier reports`() async throws {
        let (service, id) = try await service(policy())
        try await report("crash", from: 0..<60, to: service)
        try await pass(service)
        service.clock.advance(milliseconds: 60_000)
        try await service.apply(.resume, to: id)
        try await report("crash", from: 60..<120, to: service)
        try await pass(service)
        #expect(try await status(id, service).state == .active)
        #expect(try await verdict(id, service)?["state"]?.string == "cooling-down")
        service.clock.advance(milliseconds: 2 * 3_600_000)
        try await pass(service)
        #expect(try await verdict(id, service)?["note"]?.string?.contains("0 of 50 devices") == true)
        try await report("crash", from: 0..<60, to: service)
        try await pass(service)
        #expect(try await status(id, service).state == .halted)
        #expect(try await actions(service).filter { $0 == "release.unhealthy" }.count == 2)
    }

    @Test func `after a crash between a trip and its action, the next process takes the action, once`() async throws {
        let (service, id) = try await service(policy())
        try await report("crash", from: 0..<60, to: service)
        service.store.setAfter(.setHealthWatch) { () throws(PlatformError) in throw PlatformError(.busy, "crash") }
        #expect(await service.healthJudge.pass().count == 1)
        service.store.setAfter(.setHealthWatch, nil)
        #expect(try await status(id, service).state == .active)
        let next = try await service.restarted()
        try await pass(next)
        #expect(try await status(id, next).state == .halted)
        try await pass(next)
        #expect(try await actions(next).suffix(2) == ["release.unhealthy", "release.halt"])
    }

    /// Returns a service whose process ended after a trip, before its action, and the release, at 10 % of a plan.
    private func interrupted(_ action: HealthAction) async throws -> (TestService, ReleaseID) {
        let (service, id) = try await service(policy(action), plan: [(10, 0), (50, 24)])
        try await report("crash", from: 0..<60, to: service)
        service.store.setAfter(.setHealthWatch) { () throws(PlatformError) in throw PlatformError(.busy, "crash") }
        #expect(await service.healthJudge.pass().count == 1)
        service.store.setAfter(.setHealthWatch, nil)
        return (try await service.restarted(), id)
    }

    @Test(arguments: [(HealthAction.pause, ReleaseState.paused), (.halt, .halted), (.rollBack, .rolledBack)])
    func `an operator who widens a release between a trip and its action does not resume it`(
        action: HealthAction, state: ReleaseState
    ) async throws {
        let (service, id) = try await interrupted(action)
        let fifth = try #require(BasisPoints(2000))
        try await service.apply(.widen(fifth), to: id)
        try await pass(service)
        #expect(try await status(id, service).state == state)
        #expect(try await actions(service).filter { $0 == "release.unhealthy" }.count == 1)
    }

    @Test func `nothing is left to be done if an operator stops a release between a trip and its action`() async throws
    {
        let (service, id) = try await interrupted(.halt)
        try await service.apply(.pause, to: id)
        try await pass(service)
        #expect(try await status(id, service).state == .paused)
        try await service.apply(.resume, to: id)
        try await pass(service)
        #expect(try await status(id, service).state == .active)
        #expect(try await verdict(id, service)?["state"]?.string == "cooling-down")
    }

    @Test func `other rules that an operator sets between a trip and its action judge the same reports`() async throws {
        let (service, id) = try await interrupted(.halt)
        let lenient = HealthPolicy(rules: [HealthRule(metric: .crashes, aboveControl: 1000)])
        _ = try await service.releaser.judge(
            .release(id, of: package), of: service.app, by: lenient, ifMatch: nil, author: .server)
        try await pass(service)
        #expect(try await status(id, service).state == .active)
        let verdict = try await verdict(id, service)
        #expect(verdict?["watch"] == .integer(2) && verdict?["devices"] == .integer(60))
    }

    @Test func `an operator who had paused a release himself may resume it after a rule that pauses`() async throws {
        let (service, id) = try await service(policy(.pause))
        try await service.apply(.pause, to: id)
        try await report("crash", from: 0..<60, to: service)
        try await pass(service)
        #expect(try await actions(service).filter { $0 == "release.unhealthy" }.count == 1)
        try await service.apply(.resume, to: id)
        try await pass(service)
        #expect(try await status(id, service).state == .active)
    }

    @Test func `rules that an operator removes during a look stop nothing`() async throws {
        let (service, id) = try await service(policy())
        try await report("crash", from: 0..<60, to: service)
        _ = try await service.aggregator.step()
        let (package, app) = (package, try service.app)
        service.store.setBefore(.totals) { () throws(PlatformError) in
            service.store.setBefore(.totals, nil)
            _ = try await service.releaser.judge(
                .release(id, of: package), of: app, by: nil, ifMatch: nil, author: .server)
        }
        try await pass(service)
        #expect(try await status(id, service).state == .active)
        #expect(try await !actions(service).contains("release.unhealthy"))
    }

    @Test func `every release of a set is judged, also beside a tripped one that goes on`() async throws {
        let service = try await TestService()
        let rules = HealthPolicy(rules: [
            HealthRule(metric: .whiteScreens, ceiling: BasisPoints(500), action: .pause),
            HealthRule(metric: .crashes, ceiling: BasisPoints(500)),
        ])
        let terms = ReleaseTerms(salt: .random(by: service.cryptography), health: rules)
        let set = try await releaseSet(terms, of: service)
        func state() async throws -> ReleaseState { try await service.releaser.find(set, of: service.app).state }
        try await report("whiteScreen", of: PackageID("common"), from: 0..<60, to: service)
        try await pass(service)
        #expect(try await state() == .paused)
        try await report("crash", from: 0..<60, to: service)
        try await pass(service)
        #expect(try await state() == .halted)
    }

    @Test func `a plan goes on only with enough devices at each step`() async throws {
        let (service, id) = try await service(policy(), plan: [(10, 0), (50, 1), (100, 2)])
        func percent() async throws -> String {
            let status = try await status(id, service)
            return status.group.percent(at: status.instant).percent
        }
        try await report("opened", from: 0..<12, to: service)
        service.clock.advance(milliseconds: 90 * 60_000)
        try await pass(service)
        #expect(try await percent() == "10")
        #expect(try await verdict(id, service)?["note"]?.string?.contains("12 of 50 devices") == true)
        try await report("opened", from: 12..<50, to: service)
        try await pass(service)
        #expect(try await percent() == "50")
        #expect(try await actions(service).last == "release.advance")
        // The last step keeps its distance of an hour, and waits for 50 further devices.
        try await report("opened", from: 50..<62, to: service)
        service.clock.advance(milliseconds: 60 * 60_000)
        try await pass(service)
        #expect(try await percent() == "50")
        #expect(try await verdict(id, service)?["note"]?.string?.contains("12 of 50 devices") == true)
        try await report("opened", from: 62..<100, to: service)
        try await pass(service)
        #expect(try await percent() == "100")
        #expect(try await status(id, service).state == .completed)
    }

    @Test func `a device that had reported before a step is no device since it, in any later watch`() async throws {
        var rules = policy()
        rules.window = 3_600_000
        let (service, id) = try await service(rules, plan: [(10, 0), (50, 1), (100, 2)])
        func since(_ hours: Int64, _ devices: Range<Int>) async throws -> Int64? {
            service.clock.advance(milliseconds: hours * 3_600_000)
            try await report("opened", from: devices, to: service)
            try await pass(service)
            return try await verdict(id, service)?["devicesSinceStep"]?.integer
        }
        func percent() async throws -> String {
            let status = try await status(id, service)
            return status.group.percent(at: status.instant).percent
        }
        // The devices of the first watch do not report in the second, in which the step is.
        #expect(try await since(0, 0..<40) == 40)
        #expect(try await since(2, 40..<100) == 60)
        #expect(try await percent() == "50")
        #expect(try await since(2, 0..<100) == 0)
        #expect(try await since(2, 0..<120) == 20)
        #expect(try await percent() == "50")
        // Rules that change, like a resumption, leave the devices at the step as they are.
        rules.rules[0].aboveControl = 50
        _ = try await service.releaser.judge(
            .release(id, of: package), of: service.app, by: rules, ifMatch: nil, author: .server)
        #expect(try await since(0, 0..<120) == 20)
        #expect(try await since(0, 120..<150) == 50)
        #expect(try await percent() == "100")
    }

    @Test func `a step that fails to be stored is taken at the next look`() async throws {
        let (service, id) = try await service(policy(), plan: [(10, 0), (100, 1)])
        service.clock.advance(milliseconds: 3_600_000)
        try await report("opened", from: 0..<50, to: service)
        service.store.setBefore(.changeReleases) { () throws(PlatformError) in throw storeFailure }
        #expect(await service.healthJudge.pass().map(\.code) == [.storageFailed])
        service.store.setBefore(.changeReleases, nil)
        try await pass(service)
        let status = try await status(id, service)
        #expect(status.group.percent(at: status.instant) == .all)
    }

    @Test func `a plan of a release that crashes does not go on`() async throws {
        let (service, id) = try await service(policy(.pause), plan: [(10, 0), (50, 1)])
        try await report("crash", from: 0..<60, to: service)
        service.clock.advance(milliseconds: 90 * 60_000)
        try await pass(service)
        try await pass(service)
        let status = try await status(id, service)
        #expect(status.state == .paused && status.group.percent(at: status.instant).percent == "10")
    }

    @Test func `all releases of a set stop together, and go on only together`() async throws {
        let service = try await TestService()
        var terms = ReleaseTerms(salt: .random(by: service.cryptography), health: policy())
        terms.rollout = Rollout(
            percent: .none,
            steps: [
                .init(percent: BasisPoints(1000) ?? .all, after: 0),
                .init(percent: .all, after: 3_600_000, isHeld: true),
            ])
        let set = try await releaseSet(terms, of: service)
        func status() async throws -> Releaser.Status { try await service.releaser.find(set, of: service.app) }
        service.clock.advance(milliseconds: 3_600_000)
        try await report("opened", from: 0..<60, to: service)
        try await pass(service)
        #expect(try await status().group.percent(at: service.clock.now()).percent == "10")
        try await report("opened", of: PackageID("common"), from: 0..<60, to: service)
        try await pass(service)
        #expect(try await status().group.percent(at: service.clock.now()) == .all)
        try await report("crash", from: 0..<60, to: service)
        try await pass(service)
        #expect(try await status().state == .halted)
        let entry = try #require(
            try await service.store.audit(before: nil, limit: 9).first { $0.entry.action == "release.unhealthy" })
        #expect(entry.entry.subject == "news@1.1.0")
        #expect(JSON.object(entry.entry.details)["releaseSet"] != nil)
    }

    @Test func `reports without a release count for none if two releases offer the version`() async throws {
        let (service, id) = try await service(policy())
        _ = try await service.catalogue.declareChannel(try #require(ChannelName("beta")), of: service.app, by: .server)
        try await service.release("1.1.0", on: try #require(ChannelName("beta")))
        try await report("crash", from: 0..<60, to: service)
        try await pass(service)
        #expect(try await verdict(id, service)?["devices"] == .integer(0))
        #expect(try await verdict(id, service)?["unattributedDevices"] == .integer(60))
        let now = service.clock.now()
        let reports = (0..<60).map { device in
            Report(
                app: .default, eventID: "stated", deviceID: "\(device)", package: package, version: "1.1.0",
                event: "crash", time: now, details: [.init("release", .integer(id.value))])
        }
        _ = try await service.store.insertReports(reports, at: now, keeping: ReportWindow())
        try await pass(service)
        #expect(try await status(id, service).state == .halted)
    }
}
