import Domain
import Testing
import WorldKit

struct RefusalTests {
    @Test func `a release at 0 % reaches no device, whatever the device sent`() throws {
        var release = try Sample.release(1, "1")
        release.terms.rollout = Rollout(percent: .none)
        let package = try Sample.package()
        let own = PackageReleases([release], at: Sample.start) { Candidate($0, lists: [:]) }
        var facts = DeviceFacts()
        facts.identity = BucketOrders.identity("alice")
        var resolution = Resolution(ReleaseSnapshot(packages: [package: own]), facts: facts, at: Sample.start)
        #expect(resolution.trace(of: package).first?.refusal?.description == "it is at 0 %")
    }
}
