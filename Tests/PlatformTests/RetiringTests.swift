import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct RetiringTests {
    private func retire(
        _ version: String, _ service: TestService, because reason: String = "broken"
    ) async throws -> VersionSummary {
        try await service.versions.retire(
            #require(VersionString(version)), of: service.putPackage(), because: reason, by: .server)
    }

    private func unretire(_ version: String, _ service: TestService) async throws -> VersionSummary {
        try await service.versions.unretire(
            #require(VersionString(version)), of: service.putPackage(), by: .server)
    }

    /// Returns the text of a rejection.
    private func refusal(_ body: () async throws -> Void) async throws -> String {
        do {
            try await body()
            return ""
        } catch let error as PlatformError {
            return "\(error.code.rawValue) \(error.message)"
        }
    }

    @Test func `a retired version is not released until its retirement is withdrawn`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        try await service.ship("1.1.0")
        let retired = try await retire("1.0.0", service)
        #expect(
            retired.retirement == Retirement(time: service.clock.now(), actor: "server", reason: "broken"))
        let refusal = try await #require(throws: PlatformError.self) { try await service.release("1.0.0") }
        let package = try await service.putPackage().id
        #expect(refusal.code == .versionRetired)
        #expect(refusal.remedy == .unretire(try #require(VersionString("1.0.0")), of: package, in: .default))
        #expect(try await service.store.releases(of: service.putPackage().id, in: .default).count == 2)
        #expect(try service.entry()?.current?.release.version.text == "1.1.0")
        #expect(try await unretire("1.0.0", service).retirement == nil)
        try await service.release("1.0.0")
        #expect(try service.entry()?.current?.release.version.text == "1.0.0")
    }

    @Test func `a version that a channel offers, or will offer, is not retired, and the release is named`() async throws
    {
        let service = try await TestService()
        let first = try await service.ship("1.0.0").release
        try await service.publishSample("2.0.0")
        let planned = try await service.release("2.0.0", at: service.fromNow(60_000)).release
        let current = try await refusal { _ = try await retire("1.0.0", service) }
        #expect(current.hasPrefix("version-offered ") && current.contains("release \(first.id) "))
        #expect(current.contains("'production'"))
        let coming = try await refusal { _ = try await retire("2.0.0", service) }
        #expect(coming.hasPrefix("version-offered ") && coming.contains("release \(planned.id) "))
        #expect(coming.contains(planned.activeTime.rfc3339))
        service.clock.set(to: planned.activeTime)
        // The activation time has come, although no event has been sent yet.
        #expect(try await retire("1.0.0", service).retirement != nil)
        #expect(try await refusal { _ = try await retire("2.0.0", service) }.hasPrefix("version-offered "))
    }

    @Test func `a version can be retired if its planned release is hidden as the refusal says`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        try await service.publishSample("2.0.0")
        let moment = service.fromNow(60_000)
        try await service.release("2.0.0", at: moment)
        try await service.release("1.0.0", at: moment)
        #expect(try await retire("2.0.0", service).retirement != nil)
        service.clock.set(to: moment)
        try await service.live.activate(service.app)
        #expect(try service.entry()?.current?.release.version.text == "1.0.0")
    }

    @Test func `a release and a retirement at once never both succeed`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        for number in 1...20 {
            let version = "2.\(number)"
            try await service.publishSample(version)
            async let released = code { try await service.release(version) }
            async let retired = code { _ = try await retire(version, service) }
            let outcomes = try await [released, retired]
            #expect(outcomes == [nil, .versionOffered] || outcomes == [.versionRetired, nil], "\(outcomes)")
        }
    }

    @Test func `publishing a retired version changes nothing, and the result says so`() async throws {
        let service = try await TestService()
        try await service.publishSample("1.0.0")
        let retired = try await retire("1.0.0", service)
        #expect(try await service.publishSample("1.0.0").unchanged == retired)
        #expect(try await retire("1.0.0", service, because: "another").retirement?.reason == "broken")
    }

    @Test func `notes, retirements and waivers cause no event`() async throws {
        let service = try await TestService()
        try await service.ship("1.0.0")
        try await service.ship("2.0.0")
        let before = try service.view().cursor
        let configVersion = try service.view().configVersion
        let package = try await service.putPackage()
        _ = try await retire("1.0.0", service)
        _ = try await service.versions.setNotes(
            "x", of: #require(VersionString("2.0.0")), of: package, by: .server)
        _ = try await service.waivers.putWaiver(for: .secret, at: nil, because: "x", of: package, by: .server)
        #expect(try service.view().cursor == before && service.view().configVersion == configVersion)
        let actions = try await service.store.audit(before: nil, limit: 3).map(\.entry.action)
        #expect(actions == ["waiver.put", "version.notes", "version.retire"])
    }
}
