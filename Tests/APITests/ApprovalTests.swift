import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing

/// Tests what approvals have to do with other parts of the API: dry runs, keys of requests, sets, plans, lists and limits.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ApprovalTests: ReleasingSuite {
    private func protected(_ versions: String...) async throws -> Desk {
        let desk = try await Desk()
        for version in versions { try await desk.service.publishSample(version) }
        try await desk.protect()
        return desk
    }

    // MARK: Break-glass

    @Test func `an admin breaks the glass, and two entries say why`() async throws {
        let desk = try await protected("1.0.0")
        let body = JSON.object(["version": "1.0.0", "breakGlass": "The start page is empty."])
        let refused = try await desk.call("POST", Desk.releases, body, as: .releaser)
        #expect(refused.status == 403 && refused.detail.contains("Only an admin of the app 'default'"))
        let made = try await desk.call("POST", Desk.releases, body)
        #expect(made.status == 201, "\(made.text)")
        let entries = try #require(
            try await desk.call("GET", Desk.api + "/audit?limit=2").json["entries"]?.elements)
        #expect(entries.map { $0["action"]?.string } == ["release.make", "channel.break-glass"])
        #expect(entries[0]["details"]?["breakGlass"]?.string == "The start page is empty.")
        #expect(entries[1]["subject"]?.string == "production")
        #expect(entries[1]["details"]?["reason"]?.string == "The start page is empty.")
        #expect(entries[1]["details"]?["action"]?.string == "release.make")
    }

    @Test(arguments: [
        ("breakGlass", 9, 400), ("breakGlass", 10, 201), ("breakGlass", 500, 201), ("breakGlass", 501, 400),
        ("approvalReason", 0, 400), ("approvalReason", 1, 202), ("approvalReason", 500, 202),
        ("approvalReason", 501, 400),
    ])
    func `a reason has a length`(member: String, length: Int, status: Int) async throws {
        let desk = try await protected("1.0.0")
        let text = JSON.string(String(repeating: "é", count: length))
        let body = JSON.object([.init("version", "1.0.0"), .init(member, text)])
        #expect(try await desk.call("POST", Desk.releases, body).status == status)
    }

    @Test(arguments: ["breakGlass", "approvalReason"])
    func `a channel without protection refuses the members of approvals`(member: String) async throws {
        let desk = try await ready("1.0.0")
        let body = JSON.object([.init("version", "1.0.0"), .init(member, "It is an emergency.")])
        let response = try await desk.call("POST", Desk.releases, body)
        #expect(response.status == 400 && response.detail.contains("needs no approval"))
    }

    @Test func `actions that need no approval refuse the members of approvals`() async throws {
        let desk = try await protected("1.0.0")
        let made = try await desk.service.release("1.0.0", rollout: Rollout(percent: .init(percent: "10") ?? .none))
        let response = try await desk.call(
            "POST", "\(Desk.releases)/\(made.release.id)/pause", .object(["breakGlass": "It is an emergency."]))
        #expect(response.status == 400 && response.detail.contains("unknown member 'breakGlass'"))
    }

    @Test func `on PostgreSQL, two nodes share a request, and two approvals at once make the change once`() async throws
    {
        try await TestNodes.run { nodes in
            let desk = try await Desk(nodes.one)
            try await nodes.one.publishSample("1.0.0")
            try await desk.protect()
            let path = try await desk.ask(["version": "1.0.0", "percent": 50])
            #expect(try await desk.call("POST", path + "/approve", as: .releaser).code == "forbidden")
            let (revoked, secret) = try await nodes.one.tokens.create(name: "a", role: .releaser, by: .server)
            let late = try await desk.call("POST", Desk.releases, .object(["version": "1.0.0"]), token: secret)
            #expect(late.status == 202, "\(late.text)")
            let others = [try await nodes.one.makeToken(.releaser), try await nodes.two.makeToken(.releaser)]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for (node, token) in zip([nodes.one, nodes.two], others) {
                    group.addTask { try await node.send(TestRequest("POST", path + "/approve").by(token)).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200, 409])
            #expect(try await desk.call("GET", path).json["state"]?.string == "approved")
            _ = try await nodes.one.tokens.revoke(revoked.id, by: .server)
            let second = try #require(late["Location"])
            let refused = try await desk.call("POST", second + "/approve")
            #expect(refused.status == 409 && refused.detail.contains("may no longer release"), "\(refused.text)")
            #expect(try await desk.call("POST", second + "/reject", .object(["comment": "late"])).status == 200)
            let entries = try await desk.call("GET", Desk.api + "/apps/default/history?package=news&limit=3").json[
                "entries"]
            #expect(
                try #require(entries?.elements).map { $0["action"]?.string } == [
                    "approval.reject", "release.make", "approval.approve",
                ])
        }
    }

    // MARK: Dry runs and keys

    @Test func `a dry run says that an approval is required, and stores no request`() async throws {
        let desk = try await protected("1.0.0")
        let dry = try await desk.call(
            "POST", Desk.releases + "?dryRun=1", .object(["version": "1.0.0", "approvalReason": "r"]), as: .releaser)
        #expect(dry.status == 200, "\(dry.text)")
        #expect(try dry.json["approvalRequired"]?.bool == true && dry.json["version"]?.string == "1.0.0")
        #expect(try await desk.call("GET", Desk.approvals).json["approvals"]?.elements == [])
        let path = try await desk.ask()
        let rehearsed = try await desk.call("POST", path + "/approve?dryRun=1")
        #expect(try rehearsed.status == 200 && rehearsed.json["dryRun"]?.bool == true, "\(rehearsed.text)")
        #expect(try rehearsed.json["state"]?.string == "approved" && rehearsed.json["release"]?.integer == 1)
        #expect(try await desk.call("GET", path).json["state"]?.string == "pending")
        #expect(try await desk.call("GET", Desk.releases).json["releases"]?.elements == [])
    }

    @Test func `what the change would refuse is refused when it is requested`() async throws {
        let desk = try await protected("1.0.0")
        #expect(try await desk.call("POST", Desk.releases, .object(["version": "9"]), as: .releaser).status == 404)
        let made = try await desk.service.release("1.0.0")
        let again = try await desk.call("POST", Desk.releases, .object(["version": "1.0.0"]), as: .releaser)
        #expect(again.code == "release-exists")
        let one = "\(Desk.releases)/\(made.release.id)"
        #expect(try await desk.call("PATCH", one, .object(["percent": 50]), as: .releaser).status == 400)
        let request = try TestRequest("POST", one + "/complete").by(desk.token(.releaser)).with("If-Match", "\"7\"")
        #expect(try await desk.service.send(request).code == "precondition-failed")
        #expect(try await desk.call("GET", Desk.approvals).json["approvals"]?.elements == [])
    }

    @Test func `a retry under a key gets the request that waits, and the approval is made once`() async throws {
        let desk = try await protected("1.0.0")
        func send(_ target: String, _ body: JSON, as role: Role) async throws -> TestResponse {
            try await desk.service.send(
                TestRequest("POST", target, body: body.bytes()).by(desk.token(role)).with("Idempotency-Key", "k"))
        }
        let first = try await send(Desk.releases, .object(["version": "1.0.0"]), as: .releaser)
        let second = try await send(Desk.releases, .object(["version": "1.0.0"]), as: .releaser)
        #expect(first.status == 202 && second.status == 202 && first.text == second.text)
        #expect(second["Idempotency-Replayed"] == "true" && second["Location"] == first["Location"])
        #expect(try await desk.call("GET", Desk.approvals).json["approvals"]?.elements?.count == 1)
        let path = try #require(first["Location"]) + "/approve"
        let approved = try await send(path, .object([] as [JSON.Member]), as: .admin)
        let repeated = try await send(path, .object([] as [JSON.Member]), as: .admin)
        #expect(approved.status == 200 && repeated.text == approved.text)
        #expect(repeated["Idempotency-Replayed"] == "true")
    }

    // MARK: Sets, plans and restarts

    @Test func `a release set waits as a whole, and so do its changes`() async throws {
        let desk = try await protected("1.0.0")
        try await desk.service.publishSample("1.0.0", of: "common")
        let sets = Desk.api + "/apps/default/release-sets"
        let body = JSON.object([
            "versions": .object(["news": "1.0.0", "common": "1.0.0"]), "percent": 10,
        ])
        let asked = try await desk.call("POST", sets, body, as: .releaser)
        #expect(asked.status == 202, "\(asked.text)")
        #expect(try asked.json["action"]?.string == "release-set.create" && asked.json["package"] == nil)
        #expect(try asked.json["packages"] == .array(["common", "news"]))
        #expect(try asked.json["estimate"] == .null)
        let approved = try await desk.call("POST", try #require(asked["Location"]) + "/approve")
        let set = try #require(try approved.json["releaseSet"]?.integer)
        let widening = try await desk.call("PATCH", "\(sets)/\(set)", .object(["percent": 50]), as: .releaser)
        #expect(try widening.json["action"]?.string == "release-set.widen")
        #expect(try await desk.call("POST", try #require(widening["Location"]) + "/approve").status == 200)
        #expect(try await desk.call("GET", "\(sets)/\(set)").json["percent"]?.integer == 50)
        #expect(try await desk.call("POST", "\(sets)/\(set)/complete", as: .releaser).status == 202)
        #expect(try await desk.call("POST", "\(sets)/\(set)/pause", as: .releaser).status == 200)
    }

    @Test func `an approved plan goes on, as does a release from before the protection`() async throws {
        let desk = try await ready("1.0.0", "1.1.0")
        try await desk.service.release("1.0.0", at: desk.service.fromNow(1000))
        try await desk.protect()
        desk.service.clock.advance(milliseconds: 1000)
        for app in desk.service.live.all { try await desk.service.live.activate(app) }
        #expect(try await version(desk) == "1.0.0")
        let plan = JSON.array([
            .object(["percent": 0, "after": "0s"]), .object(["percent": 100, "after": "1h"]),
        ])
        let path = try await desk.ask(["version": "1.1.0", "plan": plan])
        #expect(try await desk.call("POST", path + "/approve").status == 200)
        desk.service.clock.advance(milliseconds: 3_600_000)
        for app in desk.service.live.all { try await desk.service.live.activate(app) }
        #expect(try await version(desk) == "1.1.0")
    }

    @Test func `a request outlasts a restart`() async throws {
        let desk = try await protected("1.0.0")
        let path = try await desk.ask()
        let next = try await desk.service.restarted()
        let before = try await desk.call("GET", path)
        let token = try desk.token(.admin)
        #expect(try await next.send(TestRequest("GET", path).by(token)).text == before.text)
        #expect(try await next.send(TestRequest("POST", path + "/approve").by(token)).status == 200)
    }

    @Test func `a channel with a pending request is not deleted`() async throws {
        let desk = try await ready("1.0.0")
        let beta = Desk.api + "/apps/default/channels/beta"
        _ = try await desk.call("PUT", beta, .object(["approvals": 1]))
        let path = try await desk.ask(["version": "1.0.0", "channel": "beta"])
        let refused = try await desk.call("DELETE", beta)
        #expect(refused.code == "conflict" && refused.detail.contains("Approval 1"))
        #expect(try await desk.call("POST", path + "/reject").status == 200)
        #expect(try await desk.call("DELETE", beta).status == 200)
        #expect(try await desk.call("GET", path).code == "approval-not-found")
    }

    // MARK: Lists and limits

    @Test func `requests are listed newest first, by state, channel and package`() async throws {
        let desk = try await protected("1.0.0")
        try await desk.service.publishSample("1.0.0", of: "common")
        let beta = Desk.api + "/apps/default/channels/beta"
        _ = try await desk.call("PUT", beta, .object(["approvals": 1]))
        let first = try await desk.ask()
        _ = try await desk.ask(["version": "1.0.0", "channel": "beta"])
        let set = JSON.object(["versions": .object(["news": "1.0.0", "common": "1.0.0"])])
        #expect(
            try await desk.call("POST", Desk.api + "/apps/default/release-sets", set, as: .releaser).status == 202)
        _ = try await desk.call("POST", first + "/reject")
        func ids(_ query: String) async throws -> [Int64] {
            let list = try await desk.call("GET", Desk.approvals + query, as: .viewer).json["approvals"]?.elements ?? []
            return list.compactMap { $0["id"]?.integer }
        }
        #expect(try await ids("") == [3, 2, 1])
        #expect(try await ids("?sort=id") == [1, 2, 3])
        #expect(try await ids("?state=pending") == [3, 2])
        #expect(try await ids("?state=rejected") == [1])
        #expect(try await ids("?channel=beta") == [2])
        #expect(try await ids("?package=common") == [3])
        let page = try await desk.call("GET", Desk.approvals + "?limit=2")
        #expect(page["Link"] != nil)
        desk.service.clock.advance(milliseconds: Approval.lifetimeMilliseconds)
        #expect(try await ids("?state=expired") == [3, 2])
        #expect(try await ids("?state=pending") == [])
    }

    @Test func `100 changes of an app wait, and no more`() async throws {
        let desk = try await protected("1.0.0")
        for _ in 0..<Approval.maximumPending { _ = try await desk.ask() }
        let refused = try await desk.call("POST", Desk.releases, .object(["version": "1.0.0"]), as: .releaser)
        #expect(refused.status == 409 && refused.detail.contains("100 changes"))
        #expect(try await desk.call("POST", Desk.approvals + "/1/reject").status == 200)
        _ = try await desk.ask()
        // Expired requests no longer count.
        desk.service.clock.advance(milliseconds: Approval.lifetimeMilliseconds)
        _ = try await desk.ask()
    }

    @Test(arguments: [0, 1])
    func `a body of 16 KiB waits, and no longer one`(excess: Int) async throws {
        let desk = try await protected("1.0.0")
        func body(_ length: Int) -> JSON {
            let rule = JSON.object(["fact": "model", "in": .array([.string(String(repeating: "m", count: 100))])])
            // White space in the reason is kept, so that the reason sets the length.
            return .object([
                "version": "1.0.0", "rules": .array([rule]),
                "approvalReason": .string(String(repeating: "\u{1F600}", count: length)),
            ])
        }
        #expect(body(1).bytes().count < Approval.requestLimit)
        let padding = Approval.requestLimit + excess - body(1).bytes().count
        // A character with accents is one character of any number of bytes.
        let reason = "\u{1F600}" + String(repeating: "\u{0301}", count: padding / 2) + (padding % 2 == 1 ? "r" : "")
        let request = JSON.object([
            .init("version", "1.0.0"), .init("rules", body(1)["rules"] ?? .null),
            .init("approvalReason", .string(reason)),
        ])
        #expect(request.bytes().count == Approval.requestLimit + excess)
        let response = try await desk.call("POST", Desk.releases, request, as: .releaser)
        #expect(response.status == (excess == 0 ? 202 : 413), "\(response.text)")
    }
}
