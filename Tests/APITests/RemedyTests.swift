import Domain
import Ground
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct RemedyTests {
    @Test func `an error names the request that resolves it`() async throws {
        let desk = try await Desk()
        try await desk.service.putPackage()
        try await desk.service.ship("1.0.0")
        try await desk.service.ship("1.1.0")
        _ = try await desk.call("POST", Desk.news + "/versions/1.0.0/retire", .object(["reason": "broken"]))
        let app = Desk.api + "/apps/default"
        for (method, path, body, detail) in [
            ("GET", app + "/builds/9", nil, "has no build '9'. To see the builds: GET \(app)/builds."),
            (
                "DELETE", app + "/page-grants/cart", nil,
                "has no page grant 'cart'. To see the page grants: GET \(app)/page-grants."
            ),
            (
                "DELETE", Desk.news + "/waivers/secret", nil,
                "has no waiver of 'secret' for every path. To see the waivers: GET \(Desk.news)/waivers."
            ),
            ("GET", app + "/packages/none", nil, "has no package 'none'. Create it first: PUT \(app)/packages/none."),
            ("GET", app + "/presets/9", nil, "has no preset for 9. Create it first: POST …/presets."),
            (
                "POST", Desk.releases, .object(["version": "1.1.0", "whitelist": "none"]),
                "Upload it first: PUT \(app)/device-lists/none with one device id a line."
            ),
            (
                "POST", Desk.releases, .object(["version": "1.0.0"]),
                "revert the retirement first: POST \(Desk.news)/versions/1.0.0/unretire."
            ),
            (
                "GET", Desk.releases + "/99", nil,
                "has no release 99. To see the releases: GET \(Desk.releases)."
            ),
            (
                "GET", app + "/release-sets/9", nil,
                "has no release set 9. To see the release sets: GET \(app)/release-sets."
            ),
            (
                "POST", Desk.releases, .object(["version": "1.1.0", "channel": "beta"]),
                "Declare it first: PUT \(app)/channels/beta."
            ),
        ] as [(String, String, JSON?, String)] {
            let response = try await desk.call(method, path, body)
            #expect(response.detail.hasSuffix(detail), "\(response.detail)")
        }
    }

    @Test(arguments: ["widen", "reschedule", "pause", "halt", "rollback"])
    func `a refused change of one release of a set names the request that changes the set`(action: String) async throws
    {
        let desk = try await Desk()
        for package in ["common", "news"] { try await desk.service.ship("1.0.0", of: package) }
        try await desk.service.publishSample("2.0.0", of: "common")
        try await desk.service.publishSample("2.0.0")
        let sets = Desk.api + "/apps/default/release-sets"
        let made = try await desk.call(
            "POST", sets, .object(["versions": .object(["common": "2.0.0", "news": "2.0.0"]), "percent": 10]))
        let set = try #require(try made.json["id"]?.integer)
        let release = try #require(
            try made.json["releases"]?.elements?.first { $0["package"] == "news" }?["id"]?.integer)
        let own = "\(Desk.releases)/\(release)"
        let (response, remedy) =
            switch action {
            case "widen": (try await desk.call("PATCH", own, .object(["percent": 20])), "PATCH \(sets)/\(set)")
            case "reschedule":
                (
                    try await desk.call("PATCH", own, .object(["activeTime": "2030-01-01T00:00:00Z"])),
                    "PATCH \(sets)/\(set)"
                )
            default: (try await desk.call("POST", "\(own)/\(action)", .object([])), "POST \(sets)/\(set)/\(action)")
            }
        #expect(response.status == 409 && response.detail.contains("belongs to release set \(set)"), "\(response.text)")
        #expect(response.detail.contains(" \(remedy)."), "\(response.detail)")
    }
}
