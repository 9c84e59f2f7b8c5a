import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests activation times in the past, and releases that exist already.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct RepeatedReleaseTests: ReleasingSuite {
    private static let sets = Desk.api + "/apps/default/release-sets"

    private func post(_ desk: Desk, _ members: KeyValuePairs<String, JSON?>) async throws -> TestResponse {
        try await desk.call("POST", Desk.releases, .object(members))
    }

    @Test func `an activation time that has passed by more than the tolerance needs 'now'`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        let tolerance = ReleaseDraft.momentTolerance
        func at(_ milliseconds: Int64) -> JSON { .string(desk.service.fromNow(milliseconds).rfc3339) }
        let past = try await post(desk, ["version": "1.0.0", "activeTime": at(-tolerance - 1)])
        #expect(past.status == 400 && past.detail.contains("has passed") && past.detail.contains("'now': true"))
        #expect(try await version(desk) == nil)
        #expect(try await post(desk, ["version": "1.0.0", "activeTime": at(-tolerance)]).status == 201)
        let old: JSON = "2020-01-01T00:00:00Z"
        #expect(try await post(desk, ["version": "2.0.0", "activeTime": old]).status == 400)
        #expect(try await post(desk, ["version": "2.0.0", "activeTime": old, "now": false]).status == 400)
        #expect(try await post(desk, ["version": "2.0.0", "activeTime": old, "now": true]).status == 201)
        let ahead = try await post(desk, ["version": "2.0.0", "activeTime": at(1), "now": true])
        #expect(ahead.status == 400 && ahead.detail.contains("is in the future"))
        let estimate = try await desk.call(
            "POST", Desk.news + "/audience-estimate", .object(["version": "2.0.0", "activeTime": old]))
        #expect(estimate.status == 400)
    }

    @Test func `a pre-release names its channel`() async throws {
        let desk = try await ready("3.2.0-rc.1", "2026-11-24", "3.2.0+build.5")
        try await desk.service.publishSample("1.0.0", of: "common")
        #expect(try await desk.call("PUT", Desk.api + "/apps/default/channels/beta").status == 201)
        let silent = try await post(desk, ["version": "3.2.0-rc.1"])
        #expect(silent.status == 400 && silent.detail.contains("pre-release"), "\(silent.text)")
        #expect(silent.detail.contains("the app has beta, production"))
        let set = try await desk.call(
            "POST", Self.sets, .object(["versions": .object(["common": "1.0.0", "news": "3.2.0-rc.1"])]))
        #expect(set.status == 400 && set.detail.contains("pre-release"))
        let estimate = try await desk.call(
            "POST", Desk.news + "/audience-estimate", .object(["version": "3.2.0-rc.1"]))
        #expect(estimate.status == 400)
        #expect(try await version(desk) == nil)
        for channel in ["beta", "production"] {
            let named = try await post(desk, ["version": "3.2.0-rc.1", "channel": .string(channel)])
            #expect(named.status == 201, "\(named.text)")
        }
        for version in ["2026-11-24", "3.2.0+build.5"] {
            #expect(try await post(desk, ["version": .string(version)]).status == 201)
        }
    }

    @Test func `a set in the past needs 'now' as well`() async throws {
        let desk = try await ready("1.0.0")
        try await desk.service.publishSample("1.0.0", of: "common")
        let versions: JSON = .object(["common": "1.0.0", "news": "1.0.0"])
        let old: JSON = "2020-01-01T00:00:00Z"
        #expect(
            try await desk.call("POST", Self.sets, .object(["versions": versions, "activeTime": old])).status == 400)
        let now = try await desk.call(
            "POST", Self.sets, .object(["versions": versions, "activeTime": old, "now": true]))
        #expect(now.status == 201, "\(now.text)")
    }

    @Test func `a release that is requested twice is made once, and the response names it`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        let first = try await post(desk, ["version": "1.0.0", "percent": 10])
        let second = try await post(desk, ["version": "1.0.0", "percent": 10])
        #expect(second.status == 409 && second.code == "release-exists" && second.detail.contains("'again': true"))
        #expect(try second.json["release"] == first.json["id"])
        #expect(try await desk.call("GET", Desk.releases).json["releases"]?.elements?.count == 1)
        #expect(try await post(desk, ["version": "1.0.0", "percent": 10, "again": true]).status == 201)
        let different: [KeyValuePairs<String, JSON?>] = [
            ["version": "2.0.0", "percent": 10], ["version": "1.0.0", "percent": 11],
            ["version": "1.0.0", "percent": 10, "mandatory": true],
            ["version": "1.0.0", "percent": 10, "wifiOnly": true],
            ["version": "1.0.0", "percent": 10, "updateMode": "prompt"],
            [
                "version": "1.0.0", "percent": 10,
                "rules": .array([.object(["fact": "region", "in": .array(["CN"])])]),
            ],
        ]
        for members in different { #expect(try await post(desk, members).status == 201, "\(members)") }
        let estimate = try await desk.call(
            "POST", Desk.news + "/audience-estimate", .object(["version": "1.0.0", "percent": 10]))
        #expect(estimate.status == 200)
    }

    @Test func `a scheduled release is a duplicate only at the same activation time`() async throws {
        let desk = try await ready("1.0.0")
        let (one, two) = (desk.service.fromNow(3_600_000).rfc3339, desk.service.fromNow(7_200_000).rfc3339)
        let first = try await post(desk, ["version": "1.0.0", "activeTime": .string(one)])
        let again = try await post(desk, ["version": "1.0.0", "activeTime": .string(one)])
        #expect(try again.status == 409 && again.json["release"] == first.json["id"])
        #expect(try await post(desk, ["version": "1.0.0", "activeTime": .string(two)]).status == 201)
        #expect(try await post(desk, ["version": "1.0.0"]).status == 201)
    }

    @Test func `a version that is no longer on offer is released again without a warning`() async throws {
        let desk = try await ready("1.0.0", "2.0.0")
        _ = try await make(desk, ["version": "1.0.0"])
        let two = try await make(desk, ["version": "2.0.0"])
        let one = try await make(desk, ["version": "1.0.0"])
        #expect(try await desk.call("POST", one + "/halt").status == 200)
        _ = try await make(desk, ["version": "1.0.0"])
        #expect(try await desk.call("POST", two + "/rollback", .object(["to": "1.0.0"])).status == 201)
        _ = try await make(desk, ["version": "2.0.0"])
    }

    @Test func `a set that is requested twice is made once, also beside single releases`() async throws {
        let desk = try await ready("1.0.0")
        try await desk.service.publishSample("1.0.0", of: "common")
        _ = try await make(desk, ["version": "1.0.0"])
        let body: KeyValuePairs<String, JSON?> = ["versions": .object(["common": "1.0.0", "news": "1.0.0"])]
        let first = try await desk.call("POST", Self.sets, .object(body))
        #expect(first.status == 201, "\(first.text)")
        let second = try await desk.call("POST", Self.sets, .object(body))
        #expect(try second.status == 409 && second.json["releaseSet"] == first.json["id"], "\(second.text)")
        #expect(try await desk.call("GET", Self.sets).json["releaseSets"]?.elements?.count == 1)
    }

    @Test func `a release whose patches cannot be read is reported as made`() async throws {
        let desk = try await ready("1.0.0")
        let store = desk.service.store
        store.setAfter(.makeRelease) { () throws(PlatformError) in
            store.setBefore(.patches) { () throws(PlatformError) in throw PlatformError(.busy, "The store is busy.") }
        }
        let made = try await post(desk, ["version": "1.0.0"])
        #expect(made.status == 201 && made["ETag"] != nil)
        #expect(try made.json["patchesReady"] == nil && made.json["id"] != nil)
        #expect(desk.service.log.all.contains { $0.hasPrefix("release.patches-unknown ") })
        store.setBefore(.patches, nil)
        #expect(try await version(desk) == "1.0.0")
    }
}
