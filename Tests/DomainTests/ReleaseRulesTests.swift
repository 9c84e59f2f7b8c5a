import Domain
import Ground
import Testing

struct RankTests {
    @Test func `the rank is the later of making and taking effect, in milliseconds times a thousand`() {
        let early = Timestamp(milliseconds: 5)
        let late = Timestamp(milliseconds: 9)
        #expect(Rank.assigned(createdAt: early, activeTime: late, taken: []).value == 9000)
        #expect(Rank.assigned(createdAt: late, activeTime: early, taken: []).value == 9000)
    }

    @Test func `a used rank is increased by a thousand`() {
        let time = Timestamp(milliseconds: 5)
        #expect(Rank.assigned(createdAt: time, activeTime: time, taken: [Rank(5000)]).value == 6000)
        let taken: Set<Rank> = [Rank(5000), Rank(6000), Rank(8000)]
        #expect(Rank.assigned(createdAt: time, activeTime: time, taken: taken).value == 7000)
    }

    @Test func `the last time that RFC 3339 can express has a rank`() throws {
        let last = try #require(Timestamp(rfc3339: "9999-12-31T23:59:59.999Z"))
        #expect(Rank.assigned(createdAt: last, activeTime: last, taken: []).value == 253_402_300_799_999_000)
    }
}

struct StandingTests {
    @Test func `a channel without releases offers nothing`() {
        let decision = [Release]().decision(at: Sample.start)
        #expect(decision.current == nil && decision.next == nil && [Release]().boundary(at: Sample.start) == nil)
    }

    @Test func `a release is active from its activation time on`() throws {
        let release = try Sample.release(1, "1.0.0", activeAt: 10)
        let before = [release].decision(at: Sample.instant(10).adding(milliseconds: -1))
        #expect(before.current == nil)
        #expect(before.next?.release == release)
        #expect([release].boundary(at: Sample.instant(10).adding(milliseconds: -1)) == Sample.instant(10))
        let from = [release].decision(at: Sample.instant(10))
        #expect(from.current?.release == release)
        #expect(from.next == nil && [release].boundary(at: Sample.instant(10)) == nil)
    }

    @Test func `the active release with the highest rank wins, not the highest number or version`() throws {
        let releases = [
            try Sample.release(3, "9.0.0", madeAt: 1), try Sample.release(1, "1.0.0", madeAt: 2),
            try Sample.release(2, "2.0.0", madeAt: 0),
        ]
        #expect(releases.decision(at: Sample.instant(5)).current?.release.id == ReleaseID(1))
    }

    @Test func `a Wednesday hotfix is current until a release planned for Friday is active`() throws {
        let a = try Sample.release(1, "2.0.0", madeAt: 0, activeAt: 96)
        let b = try Sample.release(2, "1.0.1", madeAt: 48)
        let wednesday = [a, b].decision(at: Sample.instant(48))
        #expect(wednesday.current?.release == b)
        #expect(wednesday.next?.release == a)
        #expect([a, b].boundary(at: Sample.instant(48)) == Sample.instant(96))
        #expect([a, b].decision(at: Sample.instant(96)).current?.release == a)
    }

    @Test func `a scheduled release of lower rank than the current one stays hidden, but is a boundary`() throws {
        let current = try Sample.release(1, "2.0.0", madeAt: 0, rank: 9_000_000_000_000_000_000)
        let coming = try Sample.release(2, "1.0.0", madeAt: 0, activeAt: 10)
        let decision = [current, coming].decision(at: Sample.instant(5))
        #expect(decision.next == nil)
        #expect([current, coming].boundary(at: Sample.instant(5)) == Sample.instant(10))
        #expect([current, coming].decision(at: Sample.instant(10)).current?.release == current)
    }

    @Test func `the next release is the first scheduled one, and the winner among several at one time`() throws {
        let friday = try Sample.release(1, "1.0.0", activeAt: 96)
        let thursday = try Sample.release(2, "2.0.0", activeAt: 72)
        let winner = try Sample.release(3, "3.0.0", activeAt: 72, rank: thursday.rank.value + 1000)
        let decision = [friday, thursday, winner].decision(at: Sample.start)
        #expect([friday, thursday, winner].boundary(at: Sample.start) == Sample.instant(72))
        // Of two with one activation time, the device will get the higher, which is the one to download ahead.
        #expect(decision.next?.release == winner)
        #expect([friday, thursday, winner].decision(at: Sample.instant(72)).current?.release == winner)
    }

    @Test func `mandatoryAfter is the highest rank up to the offer's own of a mandatory release`() throws {
        let old = try Sample.release(1, "1.0.0", madeAt: 0, isMandatory: true)
        let newer = try Sample.release(2, "1.1.0", madeAt: 1, isMandatory: true)
        let current = try Sample.release(3, "1.2.0", madeAt: 2)
        let next = try Sample.release(4, "2.0.0", madeAt: 2, activeAt: 9, isMandatory: true)
        let decision = [old, newer, current, next].decision(at: Sample.instant(3))
        #expect(decision.current?.mandatoryAfter == newer.rank)
        #expect(decision.next?.mandatoryAfter == next.rank)
        #expect([current].decision(at: Sample.instant(3)).current?.mandatoryAfter == nil)
    }
}

struct PatchCoverageTests {
    private func bases(_ of: Release, _ among: [Release], shipped: [String] = []) -> [String] {
        PatchCoverage.initialBases(of: of, among: among, shipped: shipped.compactMap { VersionString($0) }).map(\.text)
    }

    @Test func `versions that the newest builds ship are further bases, once, and never the version itself`() throws {
        let releases = try ["1", "2", "3"].enumerated().map { index, version in
            try Sample.release(Int64(index), version, madeAt: Int64(index))
        }
        #expect(bases(releases[2], releases, shipped: ["0", "1", "3"]) == ["2", "1", "0"])
        let many = (10..<20).map(String.init)
        #expect(bases(releases[0], releases, shipped: many) == Array(many.prefix(PatchBudget.initialCount)))
    }

    @Test func `as many builds as the budget of bytes allows have patches, between the prompt ones and all`() throws {
        let most = PatchBudget.bytes / PatchBudget.shippedCount
        #expect(PatchBudget.shippedCount(archiveSize: 0) == PatchBudget.shippedCount)
        #expect(PatchBudget.shippedCount(archiveSize: most) == PatchBudget.shippedCount)
        #expect(PatchBudget.shippedCount(archiveSize: most + 1) == PatchBudget.shippedCount - 1)
        let least = PatchBudget.bytes / PatchBudget.initialCount
        #expect(PatchBudget.shippedCount(archiveSize: least / 2) == 2 * PatchBudget.initialCount)
        #expect(PatchBudget.shippedCount(archiveSize: least + 1) == PatchBudget.initialCount)
        #expect(PatchBudget.shippedCount(archiveSize: .max) == PatchBudget.initialCount)
        let release = try Sample.release(1, "1", madeAt: 0)
        let shipped = try (10..<50).map { try Sample.version(String($0)) }
        let bases = PatchCoverage.bases(of: release, among: [release], shipped: shipped, archiveSize: most + 1)
        #expect(bases == Array(shipped.prefix(PatchBudget.shippedCount - 1)))
    }

    @Test func `a halted release of higher rank is a base, since its devices may go back`() throws {
        var releases = try (1...6).map { try Sample.release(Int64($0), String($0), madeAt: Int64($0)) }
        for index in 2...5 { releases[index].course = .halted(since: Sample.instant(10)) }
        #expect(bases(releases[1], releases) == ["1", "6", "5", "4"])
        // No device has a release that was halted before its activation.
        releases[5].course = .halted(since: Sample.instant(5))
        releases[4].course = .running
        #expect(bases(releases[1], releases) == ["1", "4", "3"])
    }

    @Test func `the last three distinct other versions of lower rank are bases, newest first`() throws {
        let releases = try ["1", "2", "3", "4", "5"].enumerated().map { index, version in
            try Sample.release(Int64(index), version, madeAt: Int64(index))
        }
        #expect(bases(releases[4], releases.shuffled()) == ["4", "3", "2"])
        #expect(bases(releases[1], releases) == ["1"])
        #expect(bases(releases[0], releases) == [])
    }

    @Test func `on going back, newer versions are bases, and the version itself is not`() throws {
        let releases = [
            try Sample.release(1, "1.0", madeAt: 0), try Sample.release(2, "2.0", madeAt: 1),
            try Sample.release(3, "1.0", madeAt: 2),
        ]
        #expect(bases(releases[2], releases) == ["2.0"])
    }

    @Test func `a version that was released twice counts once`() throws {
        let versions = ["1", "2", "3", "2", "3", "2", "9"]
        let releases = try versions.enumerated().map { index, version in
            try Sample.release(Int64(index), version, madeAt: Int64(index))
        }
        #expect(bases(releases[6], releases) == ["2", "3", "1"])
    }

    @Test func `other channels do not count`() throws {
        let own = try Sample.release(1, "2", madeAt: 5)
        let other = try Sample.release(2, "1", madeAt: 0, channel: "beta")
        #expect(bases(own, [own, other]) == [])
    }

    @Test func `the current release and the scheduled ones are offered`() throws {
        let releases = [
            try Sample.release(1, "1", madeAt: 0), try Sample.release(2, "2", madeAt: 1),
            try Sample.release(3, "3", madeAt: 1, activeAt: 10), try Sample.release(4, "4", madeAt: 1, activeAt: 20),
        ]
        #expect(PatchCoverage.offered(releases, at: Sample.instant(5)).map(\.id.value) == [4, 3, 2])
        #expect(PatchCoverage.offered(releases, at: Sample.instant(10)).map(\.id.value) == [4, 3])
    }
}

extension PatchCoverageTests {
    private func artifact(
        _ form: Artifact.Form, of version: String, size: Int
    ) throws -> Artifact {
        Artifact(
            app: .default, package: try Sample.package(), version: try Sample.version(version), form: form,
            layout: .appFolder, tree: try Sample.digest(2), blob: try Sample.digest(3), size: size, md5: [], recipe: 1)
    }

    private func patch(from base: String, to target: String, size: Int = 1) throws -> Artifact {
        try artifact(.files(base: try Sample.version(base), baseTree: try Sample.digest(1)), of: target, size: size)
    }

    private func gaps(
        of release: Release, among releases: [Release], shipped: [String] = [], size: Int = 10,
        patches: [Artifact], _ reasons: [String: PatchGap.Reason] = [:]
    ) throws -> [PatchGap] {
        PatchCoverage.gaps(
            of: release, among: releases, shipped: shipped.compactMap { VersionString($0) },
            full: try artifact(.full, of: release.version.text, size: size), patches: patches
        ) { reasons[$0.text] }
    }

    @Test func `patches are ready when there is one from every base`() throws {
        let releases = [
            try Sample.release(1, "1", madeAt: 0), try Sample.release(2, "2", madeAt: 1),
            try Sample.release(3, "3", madeAt: 2),
        ]
        var patches = [try patch(from: "2", to: "3"), try patch(from: "1", to: "2")]
        #expect(try gaps(of: releases[0], among: releases, patches: []) == [])
        #expect(try gaps(of: releases[1], among: releases, patches: patches) == [])
        let pending = try gaps(of: releases[2], among: releases, patches: patches)
        #expect(pending == [PatchGap(base: try Sample.version("1"), reason: .pending)])
        #expect(!pending.arePatchesReady)
        // A patch that a device requested does not replace the incremental archive, which clients of seed 000 need.
        let delta = try artifact(
            .delta(base: try Sample.version("1"), baseTree: try Sample.digest(1)), of: "3", size: 1)
        #expect(try gaps(of: releases[2], among: releases, patches: patches + [delta]) == pending)
        patches.append(try patch(from: "1", to: "3"))
        #expect(try !gaps(of: releases[2], among: releases, shipped: ["0"], patches: patches).arePatchesReady)
        #expect(try gaps(of: releases[2], among: releases, patches: patches) == [])
    }

    @Test func `each version without a patch has the reason, and only what is still to be built is not ready`() throws {
        let release = try Sample.release(1, "1", madeAt: 0)
        let shipped = (10..<50).map(String.init)
        let tooMany = try gaps(of: release, among: [release], shipped: shipped, patches: [])
        #expect(tooMany.filter { $0.reason == .pending }.map(\.base.text) == Array(shipped.prefix(32)))
        #expect(tooMany.filter { $0.reason == .buildCount }.map(\.base.text) == Array(shipped.dropFirst(32)))
        let tooLarge = try gaps(
            of: release, among: [release], shipped: shipped, size: PatchBudget.bytes / 30, patches: [])
        #expect(tooLarge.filter { $0.reason == .byteBudget }.map(\.base.text) == ["40", "41"])
        #expect(tooLarge.count == 40)

        let own = ["10", "11", "12", "13"]
        let patches = try [patch(from: "10", to: "1", size: 9), patch(from: "11", to: "1", size: 10)]
        let reasons: [String: PatchGap.Reason] = ["12": .filesRemoved, "13": .timeBudget]
        let settled = try gaps(of: release, among: [release], shipped: own, patches: patches, reasons)
        #expect(settled.map(\.reason) == [.notSmaller, .filesRemoved, .timeBudget])
        #expect(settled.arePatchesReady)
        let failed = try gaps(of: release, among: [release], shipped: own, patches: patches, ["12": .failed])
        #expect(failed.map(\.reason) == [.notSmaller, .failed, .pending])
        #expect(!failed.arePatchesReady)
    }

    @Test func `each channel has what it offers`() throws {
        let releases = [
            try Sample.release(1, "1", madeAt: 0), try Sample.release(2, "2", madeAt: 1),
            try Sample.release(3, "1", madeAt: 0, channel: "beta"),
        ]
        let offered = PatchCoverage.offered(ofEach: releases, at: Sample.instant(5))
        #expect(Set(offered.map(\.id.value)) == [2, 3])
    }
}

struct HoldingsTests {
    @Test func `the versions of each package come in the order sent, without duplicates`() throws {
        let holdings = Holdings("news@2,shop@1+a,news@1,news@2")
        #expect(
            holdings.versions == [
                try Sample.package(): [try Sample.version("2"), try Sample.version("1")],
                try Sample.package("shop"): [try Sample.version("1+a")],
            ])
    }

    @Test func `the first versions of a package count, and the first items, up to the limits`() throws {
        let versions = (0...Holdings.maximumVersions).map { "news@\($0)" }.joined(separator: ",")
        #expect(Holdings(versions).versions[try Sample.package()]?.map(\.text) == ["0", "1", "2", "3"])
        let packages = (0...Holdings.maximumItems).map { "p\($0)@1" }.joined(separator: ",")
        let known = Holdings(packages).versions
        #expect(known.count == Holdings.maximumItems)
        #expect(known[try Sample.package("p\(Holdings.maximumItems - 1)")] != nil)
        #expect(known[try Sample.package("p\(Holdings.maximumItems)")] == nil)
    }

    @Test(arguments: ["", ",", "@", "news", "news@", "@1", "news@1@2", "news@..", "ne ws@1", "news@1 ", "a/b@1"])
    func `an item that is not a package with a version is ignored`(text: String) throws {
        #expect(Holdings(text).versions.isEmpty)
        #expect(Holdings("\(text),news@1").versions == [try Sample.package(): [try Sample.version("1")]])
    }
}

struct PatchDemandTests {
    private func demand(_ count: Int, askedAt time: Timestamp) throws -> PatchDemand {
        PatchDemand(try (0..<count).map { .init(version: try Sample.version("\($0)"), askedAt: time) })
    }

    @Test func `requested bases are the last requested ones, and planned bases do not count`() throws {
        let demand = try demand(PatchDemand.offeredCount + 2, askedAt: Sample.start)
        #expect(demand.offered(besides: []).map(\.version.text) == (0..<PatchDemand.offeredCount).map(String.init))
        let besides = try demand.offered(besides: [Sample.version("0")]).map(\.version.text)
        #expect(besides == (1...PatchDemand.offeredCount).map(String.init))
    }

    @Test func `a base is added up to the limit, and past it if another was not requested lately`() throws {
        let almost = try demand(PatchDemand.offeredCount - 1, askedAt: Sample.start)
        #expect(almost.admitsMore(besides: [], at: Sample.start))
        let full = try demand(PatchDemand.offeredCount, askedAt: Sample.start)
        let later = Sample.start.adding(milliseconds: PatchDemand.renewal)
        #expect(!full.admitsMore(besides: [], at: later.adding(milliseconds: -1)))
        #expect(full.admitsMore(besides: [], at: later))
        #expect(try full.admitsMore(besides: [Sample.version("0")], at: Sample.start))
        // By a clock that was ahead.
        #expect(full.admitsMore(besides: [], at: Sample.start.adding(milliseconds: -1)))
    }
}

struct CursorTests {
    @Test func `a cursor is read as it is written`() throws {
        let cursor = Cursor(epoch: "0123456789abcdef", sequence: 42)
        #expect(cursor.description == "0123456789abcdef.42")
        #expect(Cursor(cursor.description) == cursor)
        #expect(Cursor("00.0") == Cursor(epoch: "00", sequence: 0))
        #expect(Cursor("00.9223372036854775807")?.sequence == .max)
    }

    @Test(arguments: [
        "", ".", "00", "00.", ".1", "00.-1", "00.+1", "00.01", "00.1.2", "0.1", "0G.1", "AB.1",
        "00.9223372036854775808",
        "00. 1", "00.1 ", String(repeating: "0", count: 34) + ".1", "00.１",
    ])
    func `any other text is not a cursor`(text: String) {
        #expect(Cursor(text) == nil)
    }
}

struct EventTests {
    private func event(_ subject: Event.Subject) -> Event {
        Event(app: .default, sequence: 1, time: Sample.start, subject: subject)
    }

    @Test func `a release concerns its channel and the clients that follow its package`() throws {
        let news = try Sample.package()
        let other = try Sample.package("other")
        let version = try Sample.version("1")
        for subject in [Event.Subject.scheduled(news, .production, version), .activated(news, .production, version)] {
            let event = event(subject)
            #expect(event.package == news)
            #expect(event.concerns(channel: .production, packages: nil))
            #expect(event.concerns(channel: .production, packages: [news, other]))
            #expect(!event.concerns(channel: .production, packages: [other]))
            #expect(try !event.concerns(channel: Sample.channel("beta"), packages: nil))
            #expect(try !event.concerns(channel: Sample.channel("beta"), packages: [news]))
        }
    }

    @Test func `a package's settings concern every channel`() throws {
        let event = event(.packageChanged(try Sample.package()))
        #expect(try event.concerns(channel: Sample.channel("beta"), packages: nil))
        #expect(try event.concerns(channel: Sample.channel("beta"), packages: [Sample.package()]))
        #expect(try !event.concerns(channel: .production, packages: [Sample.package("other")]))
    }

    @Test func `keys concern every client`() throws {
        #expect(event(.keysChanged).package == nil)
        #expect(try event(.keysChanged).concerns(channel: .production, packages: [Sample.package("other")]))
    }
}

struct RoleTests {
    @Test func `each role has the permissions of the one before it`() {
        #expect(Role.allCases.sorted() == [.viewer, .publisher, .releaser, .admin])
        #expect(Role.admin > .releaser && Role.releaser > .publisher && !(Role.publisher > .publisher))
    }
}
