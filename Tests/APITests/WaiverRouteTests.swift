import Domain
import Ground
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct WaiverRouteTests {
    private let waivers = Desk.news + "/waivers"

    private func ready() async throws -> Desk {
        let desk = try await Desk()
        try await desk.service.putPackage()
        return desk
    }

    private func reason(_ text: String) -> JSON { .object(["reason": .string(text)]) }

    @Test func `a waiver is made, changed, listed and removed`() async throws {
        let desk = try await ready()
        let made = try await desk.call("PUT", waivers + "/source-map?path=js/%E6%97%A5.map", reason("ours"))
        #expect(made.status == 201)
        let json = try made.json
        #expect(json["code"] == "source-map" && json["path"] == "js/日.map" && json["reason"] == "ours")
        #expect(json["by"]?.string?.hasPrefix("test admin (#") == true && json["at"] != nil)
        #expect(
            try await desk.call("PUT", waivers + "/source-map?path=js/%E6%97%A5.map", reason("still")).status == 200)
        #expect(try await desk.call("PUT", waivers + "/source-map", reason("all")).status == 201)
        let list = try await desk.call("GET", waivers).json["waivers"]?.elements
        #expect(list?.map { $0["reason"]?.string } == ["all", "still"])
        #expect(list?.first?["path"] == nil)
        let removed = try await desk.call("DELETE", waivers + "/source-map", as: .releaser)
        #expect(removed.status == 200)
        #expect(try removed.json["reason"] == "all")
        let gone = try await desk.call("DELETE", waivers + "/source-map")
        #expect(gone.status == 404 && gone.code == "waiver-not-found")
        #expect(try await desk.call("GET", waivers).json["waivers"]?.elements?.count == 1)
    }

    @Test func `a waived finding is counted with its reason instead of being warned of`() async throws {
        let desk = try await ready()
        _ = try await desk.call("PUT", waivers + "/source-map", reason("for our crash reports"))
        let response = try await desk.upload("1.0.0", ["index.html": "1", "a.js.map": "1", "b.js.map": "2"]).json
        let waived = JSON.array([
            .object(["code": "source-map", "findings": 2, "reason": "for our crash reports"])
        ])
        #expect(response["warnings"] == .array([]) && response["waived"] == waived)
        #expect(try await desk.call("GET", Desk.news + "/versions/1.0.0").json["waived"] == waived)
    }

    @Test func `a waiver needs a known code, a path and a reason`() async throws {
        let desk = try await ready()
        let long = String(repeating: "x", count: 501)
        for (target, body, word) in [
            ("/none", reason("x"), "source-map"), ("/secret?path=../x", reason("x"), "'path'"),
            ("/secret?path=", reason("x"), "'path'"), ("/secret", reason(""), "'reason'"),
            ("/secret", reason(long), "'reason'"), ("/secret", reason("a\u{7F}"), "'reason'"),
            ("/secret", .object(["reason": "x", "path": "a"]), "'path'"),
        ] as [(String, JSON, String)] {
            let response = try await desk.call("PUT", waivers + target, body)
            #expect(response.status == 400 && response.detail.contains(word), "\(target): \(response.detail)")
        }
        #expect(try await desk.call("DELETE", waivers + "/none").code == "waiver-not-found")
        #expect(try await desk.call("GET", waivers).json["waivers"] == .array([]))
        let path = "/api/v1/apps/default/packages/none/waivers/secret"
        #expect(try await desk.call("PUT", path, reason("x")).code == "package-not-found")
    }

    @Test func `one waiver more than a package may have is refused`() async throws {
        let desk = try await ready()
        for number in 1...LintWaiver.maximumPerPackage {
            #expect(try await desk.call("PUT", waivers + "/secret?path=\(number)", reason("x")).status == 201)
        }
        let response = try await desk.call("PUT", waivers + "/secret?path=more", reason("x"))
        #expect(response.status == 409 && response.detail.contains("100 waivers"))
    }
}
