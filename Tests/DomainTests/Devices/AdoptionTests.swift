import Domain
import Ground
import Testing

struct AdoptionTests {
    private typealias Facts = AdoptionCause.Facts

    private static let later = Sample.instant(48)

    private func release(isWifiOnly: Bool = false) throws -> Release {
        var release = try Sample.release(1, "2.0.0", madeAt: 0, activeAt: 24)
        release.terms.isWifiOnly = isWifiOnly
        return release
    }

    private func report(_ event: String, _ reason: String? = nil) throws -> InstallationReport {
        InstallationReport(device: "ann", version: try Sample.version("2.0.0"), event: event, reason: reason)
    }

    private func cause(
        _ facts: Facts, of release: Release? = nil, at now: Timestamp = later
    ) throws -> AdoptionCause {
        AdoptionCause(of: facts, for: try release ?? self.release(), at: now)
    }

    @Test func `a rule comes before everything else, without the facts of the device`() throws {
        let refusal = Refusal.percentage(BasisPoints(500) ?? .none, position: 7000, whitelist: nil)
        let rule = Refusal.percentage(BasisPoints(500) ?? .none, position: nil, whitelist: nil)
        let facts = Facts(refusal: refusal, seenAt: Self.later, lastReport: try report("failed"))
        #expect(try cause(facts) == .refused(rule))
        #expect(try cause(facts, at: Sample.instant(1)) == .refused(rule))
    }

    @Test func `before the activeTime every other device waits for it`() throws {
        let facts = Facts(seenAt: Sample.instant(1), holdsVersion: true)
        #expect(try cause(facts, at: Sample.instant(24).adding(milliseconds: -1)) == .activeTime)
        #expect(try cause(facts, at: Sample.instant(24)) == .downloaded)
    }

    @Test func `a device that reported a failure counts by its event and reason`() throws {
        for event in ["failed", "verifyFailed", "applyFailed", "rolledBack", "downloadFailed"] {
            let facts = Facts(seenAt: Self.later, holdsVersion: true, lastReport: try report(event, "disk full"))
            #expect(try cause(facts) == .failed(event: event, reason: "disk full"))
        }
    }

    @Test func `a device that has downloaded the version counts as downloaded`() throws {
        #expect(try cause(Facts(seenAt: Sample.instant(1), lastReport: try report("downloaded"))) == .downloaded)
        #expect(try cause(Facts(seenAt: Self.later, holdsVersion: true)) == .downloaded)
    }

    @Test func `a device that was seen last before the activeTime could not get the release`() throws {
        #expect(try cause(Facts(seenAt: Sample.instant(24).adding(milliseconds: -1))) == .notSeenSince)
        #expect(try cause(Facts(seenAt: Sample.instant(24))) == .offered)
    }

    @Test func `a device waits for its download slot, then for Wi-Fi`() throws {
        let slot = Self.later.adding(milliseconds: 1)
        let wifi = try release(isWifiOnly: true)
        #expect(try cause(Facts(seenAt: Self.later, downloadAfter: slot), of: wifi) == .downloadSlot)
        #expect(try cause(Facts(seenAt: Self.later, downloadAfter: Self.later), of: wifi) == .wifi)
        #expect(try cause(Facts(seenAt: Self.later, network: "cellular"), of: wifi) == .wifi)
        #expect(try cause(Facts(seenAt: Self.later, network: "WiFi"), of: wifi) == .offered)
        #expect(try cause(Facts(seenAt: Self.later, network: "cellular")) == .offered)
    }

    @Test func `the 100 versions with the most devices are kept, and only published ones`() throws {
        let package = try Sample.package()
        let versions = try (0...AdoptionDay.maximumVersions).map { try Sample.version("1.0.\($0)") }
        var census = AdoptionCensus(of: [package: Set(versions)])
        for version in versions { census.add(Holdings("news@\(version),news@9.9.9")) }
        for version in versions.dropFirst() { census.add(Holdings("news@\(version)")) }
        census.add(Holdings("news@9.9.9,other@1.0.0"))
        let kept = census.versions
        #expect(kept.keys.map(\.text) == ["news"])
        #expect(kept[package]?.count == AdoptionDay.maximumVersions)
        #expect(kept[package]?[versions[0]] == nil && kept[package]?[versions[1]] == 2)
    }

    @Test func `the newest release is the active one of highest rank, else the next scheduled one`() throws {
        let first = try Sample.release(1, "1.0.0", madeAt: 0)
        let second = try Sample.release(2, "2.0.0", madeAt: 1, activeAt: 24)
        let package = try Sample.package()
        let releases = ChannelReleases([first, second], on: .production)
        #expect(releases.newest(of: package, at: Sample.instant(2))?.id == first.id)
        #expect(releases.newest(of: package, at: Sample.instant(24))?.id == second.id)
        let scheduled = ChannelReleases([second], on: .production)
        #expect(scheduled.newest(of: package, at: Sample.instant(2))?.id == second.id)
        #expect(ChannelReleases([], on: .production).newest(of: package, at: Sample.instant(2)) == nil)
    }
}
