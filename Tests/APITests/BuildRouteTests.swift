import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests the permissions of each role on builds of the host app.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct BuildRouteTests {
    private static let builds = Desk.api + "/apps/default/builds"

    /// Releases 1.0.0 for every device, and 2.0.0 for builds with a camera, like 8.3.0.
    private func ready() async throws -> Desk {
        let desk = try await Desk()
        try await desk.service.ship("1.0.0")
        let response = try await desk.upload("2.0.0", ["index.html": "<p>2"], query: "&apis=camera")
        #expect(response.status == 201, "\(response.text)")
        try await desk.service.release("2.0.0")
        #expect(try await put(desk, "8.3.0", ["camera"], as: .publisher).status == 201)
        return desk
    }

    private func put(
        _ desk: Desk, _ version: String, _ apis: [String], as role: Role
    ) async throws -> TestResponse {
        let body = JSON.object(["apis": .array(apis.map { .string($0) })])
        return try await desk.call("PUT", "\(Self.builds)/\(version)", body, as: role)
    }

    private func version(_ desk: Desk) async throws -> String? {
        try await desk.service.get("/config?appVersion=8.3.0").json["news"]?["version"]?.string
    }

    @Test func `a publisher may add a build, but make no change that costs devices of a build a version`() async throws
    {
        let desk = try await ready()
        #expect(try await version(desk) == "2.0.0")
        for apis in [[], ["nfc"], ["camera", "nfc"]] {
            let refused = try await put(desk, "8.3.0", apis, as: .publisher)
            #expect(refused.status == 403 && refused.code == "forbidden" && refused.detail.contains("'releaser'"))
        }
        #expect(try await put(desk, "8.3.0", ["camera"], as: .publisher).status == 200)
        #expect(try await desk.call("DELETE", Self.builds + "/8.3.0", as: .publisher).status == 403)
        #expect(try await version(desk) == "2.0.0")
        #expect(try await put(desk, "8.3.0", [], as: .releaser).status == 200)
        #expect(try await version(desk) == "1.0.0")
    }

    @Test func `a build has one name in NFC, and is found by any form of it`() async throws {
        let desk = try await ready()
        let (composed, decomposed) = ("%C3%A9", "e%CC%81")
        let refused = try await put(desk, decomposed, ["camera"], as: .publisher)
        #expect(refused.status == 400 && refused.detail.contains("NFC"), "\(refused.text)")
        #expect(try await put(desk, composed, ["camera"], as: .publisher).status == 201)
        #expect(try await put(desk, decomposed, ["nfc"], as: .releaser).status == 200)
        let builds = try await desk.service.store.builds(of: .default).filter { $0.build.appVersion == "\u{E9}" }
        #expect(builds.map(\.build.apis) == [["nfc"]])
        #expect(builds.allSatisfy { $0.build.appVersion.utf8.elementsEqual("\u{E9}".utf8) })
        #expect(try await desk.call("DELETE", "\(Self.builds)/\(decomposed)", as: .releaser).status == 200)
        #expect(try await desk.call("GET", "\(Self.builds)/\(composed)").status == 404)
        #expect(try await desk.service.store.builds(of: .default).count == 1)
    }

    @Test func `the devices of a build that is deleted count as those of none`() async throws {
        let desk = try await ready()
        let before = try await desk.call("GET", Self.builds + "/8.3.0")
        #expect(try before.status == 200 && before.json["apis"] == .array(["camera"]))
        let dry = try await desk.call("DELETE", Self.builds + "/8.3.0?dryRun=1", as: .releaser)
        #expect(dry.status == 200)
        #expect(try await version(desk) == "2.0.0")
        let deleted = try await desk.call("DELETE", Self.builds + "/8.3.0", as: .releaser)
        #expect(try deleted.status == 200 && deleted.json == before.json)
        #expect(try await version(desk) == "1.0.0")
        for method in ["GET", "DELETE"] {
            let missing = try await desk.call(method, Self.builds + "/8.3.0")
            #expect(missing.status == 404 && missing.code == "build-not-found")
        }
    }

    @Test func `a full table refuses a build and names those to delete, and then accepts another`() async throws {
        let desk = try await ready()
        let (store, clock) = (desk.service.store, desk.service.clock)
        for number in 2...HostBuild.maximumCount {
            clock.advance(milliseconds: 1)
            let build = try #require(HostBuild(appVersion: "9.\(number)", apis: []))
            let audit = AuditEntry(
                time: clock.now(), actor: "test", action: AuditAction.putBuild.rawValue, app: .default, subject: "")
            try await store.putBuild(build, of: .default, audit: audit)
        }
        #expect(try await desk.call("GET", Self.builds).json["builds"]?.elements?.count == HostBuild.maximumCount)
        #expect(try await put(desk, "9.1000", ["nfc"], as: .releaser).status == 200)
        let full = try await put(desk, "10", [], as: .publisher)
        #expect(full.status == 409 && full.code == "conflict")
        #expect(
            full.detail.contains("'8.3.0', '9.2', '9.3'") && full.detail.contains("DELETE /api/v1/apps/default/builds"))
        #expect(try await desk.call("DELETE", Self.builds + "/9.2", as: .releaser).status == 200)
        #expect(try await put(desk, "10", [], as: .publisher).status == 201)
        #expect(try await put(desk, "11", [], as: .publisher).status == 409)
    }
}
