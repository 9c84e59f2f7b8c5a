import Domain
import Ground
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct PruneRouteTests {
    private func ready() async throws -> Desk {
        let policy = try #require(RetentionPolicy(keepVersions: 1, graceHours: 24))
        let desk = try await Desk(TestService(retention: policy))
        try await desk.service.publishSample("1.0.0")
        try await desk.service.ship("2.0.0")
        #expect(try await desk.call("POST", "/api/v1/prune").json["versions"] == 0)
        desk.service.clock.advance(milliseconds: 86_400_000)
        return desk
    }

    @Test func `a dry run lists the items to remove, and a run removes them`() async throws {
        let desk = try await ready()
        let dry = try await desk.call("POST", "/api/v1/prune?dryRun=1")
        #expect(dry.status == 200)
        let pruned = try await desk.call("POST", "/api/v1/prune?dryRun=0")
        #expect(pruned.status == 200)
        for key in ["versions", "archives", "blobs", "bytes", "items", "unlisted"] {
            #expect(try dry.json[key] == pruned.json[key], "\(key)")
        }
        #expect(try dry.json["dryRun"] == true && pruned.json["dryRun"] == false)
        #expect(try dry.json["versions"] == 1)
        let item = try #require(try dry.json["items"]?.elements?.first)
        #expect(item["app"] == "default" && item["package"] == "news" && item["version"] == "1.0.0")
        #expect(item["kind"] == "version" && item["reason"] == "outdated")
        #expect(try #require(item["archiveBytes"]?.integer) > 20_000)

        let gone = try await desk.call("GET", "\(Desk.news)/versions/1.0.0")
        #expect(gone.status == 404)
        let release = try await desk.call("POST", "\(Desk.news)/releases", .object(["version": "1.0.0"]))
        #expect(release.status == 409 && release.code == "conflict")
        #expect(release.detail.contains("Publish the same content again"))
    }

    @Test(arguments: ["?dryRun=yes", "?dryRun="])
    func `an invalid 'dryRun' value is refused`(query: String) async throws {
        let desk = try await ready()
        #expect(try await desk.call("POST", "/api/v1/prune" + query).status == 400)
        let member = try await desk.call("POST", "/api/v1/prune", .object(["dryRun": true]))
        #expect(member.status == 400)
        #expect(try await desk.call("GET", "\(Desk.news)/versions/1.0.0").status == 200)
    }
}
