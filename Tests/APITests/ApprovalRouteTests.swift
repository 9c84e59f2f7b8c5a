@testable import API
import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing

extension Desk {
    static let approvals = "/api/v1/apps/default/approvals"
    static let production = "/api/v1/apps/default/channels/production"

    /// Protects the channel production.
    func protect() async throws {
        let response = try await call("PUT", Self.production, .object(["approvals": 1]))
        try #require(response.status == 200, "\(response.text)")
    }

    /// Asks for the approval of a release as a releaser, and returns the path of the request.
    func ask(
        _ members: KeyValuePairs<String, JSON?> = ["version": "1.0.0"], as role: Role = .releaser
    ) async throws -> String {
        let response = try await call("POST", Self.releases, .object(members), as: role)
        try #require(response.status == 202, "\(response.text)")
        return "\(Self.approvals)/\(try #require(try response.json["id"]?.integer))"
    }

    /// Sends a request with a token.
    func call(_ method: String, _ target: String, _ body: JSON? = nil, token: String) async throws -> TestResponse {
        try await service.send(TestRequest(method, target, body: body.map { $0.bytes() }).by(token))
    }
}

/// Tests changes on protected channels, which wait for a second person (decision 0081).
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ApprovalRouteTests: ReleasingSuite {
    private func protected(_ versions: String...) async throws -> Desk {
        let desk = try await Desk()
        for version in versions { try await desk.service.publishSample(version) }
        try await desk.protect()
        return desk
    }

    private func state(_ desk: Desk, _ path: String) async throws -> String? {
        try await desk.call("GET", path).json["state"]?.string
    }

    private func actions(_ desk: Desk) async throws -> [String] {
        let entries = try await desk.call("GET", Desk.api + "/audit?action=approval.*").json["entries"]?.elements ?? []
        return entries.compactMap { $0["action"]?.string }
    }

    // MARK: Protection

    @Test func `only an admin of the app changes the protection, and deletes a protected channel`() async throws {
        let desk = try await Desk()
        let beta = Desk.api + "/apps/default/channels/beta"
        #expect(try await desk.call("PUT", beta, as: .releaser).status == 201)
        let refused = try await desk.call("PUT", beta, .object(["approvals": 1]), as: .releaser)
        #expect(refused.status == 403 && refused.detail.contains("Only an admin"))
        let tag = try await desk.call("GET", beta)["ETag"]
        let put = try await desk.call("PUT", beta, .object(["approvals": 1]))
        #expect(put.status == 200 && put["ETag"] != tag)
        #expect(try put.json["approvals"]?.integer == 1)
        // A releaser may declare the channel again, which keeps its protection.
        let same = try await desk.call("PUT", beta, as: .releaser)
        #expect(try same.status == 200 && same.json["approvals"]?.integer == 1)
        #expect(try await desk.call("PUT", beta, .object(["approvals": 0]), as: .releaser).status == 403)
        #expect(try await desk.call("DELETE", beta, as: .releaser).status == 403)
        let newest = try #require(
            try await desk.call("GET", Desk.api + "/audit?limit=1").json["entries"]?.elements?.first)
        #expect(newest["action"]?.string == "channel.change")
        #expect(newest["details"]?["before"]?["approvals"]?.integer == 0)
        #expect(newest["details"]?["after"]?["approvals"]?.integer == 1)
        #expect(try await desk.call("DELETE", beta).status == 200)
    }

    @Test(arguments: [JSON.integer(2), .integer(-1), .string("1")])
    func `a channel has no or one approval`(value: JSON) async throws {
        let desk = try await Desk()
        let response = try await desk.call("PUT", Desk.production, .object(["approvals": value]))
        #expect(response.status == 400 && response.detail.contains("from 0 to 1"))
    }

    // MARK: The second person

    @Test func `a release waits for a second person and is made as it was requested`() async throws {
        let desk = try await protected("1.0.0")
        let body = JSON.object([
            "version": "1.0.0", "percent": 50, "mandatory": true, "approvalReason": "the new start page",
        ])
        let response = try await desk.call("POST", Desk.releases, body, as: .releaser)
        #expect(response.status == 202)
        let request = try response.json
        #expect(response["Location"] == "\(Desk.approvals)/1" && response["ETag"] == "\"pending\"")
        #expect(request["state"]?.string == "pending" && request["action"]?.string == "release.create")
        #expect(request["package"]?.string == "news" && request["version"]?.string == "1.0.0")
        #expect(request["reason"]?.string == "the new start page")
        #expect(request["request"]?["percent"]?.integer == 50)
        #expect(request["summary"]?.string == "Release news 1.0.0 on 'production' at 50 %.")
        #expect(request["change"]?["before"] == .null && request["change"]?["after"]?["mandatory"]?.bool == true)
        #expect(request["estimate"]?["seen"]?.integer == 0)
        #expect(try await version(desk) == nil)
        #expect(try await desk.call("POST", "\(Desk.approvals)/1/approve", as: .releaser).code == "forbidden")
        #expect(try await desk.call("POST", "\(Desk.approvals)/1/reject", as: .releaser).code == "forbidden")
        let approved = try await desk.call(
            "POST", "\(Desk.approvals)/1/approve", .object(["comment": "looks good"]), as: .admin)
        #expect(approved.status == 200, "\(approved.text)")
        let decided = try approved.json
        #expect(decided["state"]?.string == "approved" && decided["comment"]?.string == "looks good")
        #expect(decided["release"]?.integer == 1 && decided["decidedBy"]?.string?.hasPrefix("test admin") == true)
        let release = try await desk.call("GET", Desk.releases + "/1").json
        #expect(release["percent"]?.integer == 50 && release["mandatory"]?.bool == true)
        let entries = try #require(
            try await desk.call("GET", Desk.api + "/audit?limit=3").json["entries"]?.elements)
        #expect(entries.map { $0["action"]?.string } == ["release.make", "approval.approve", "approval.request"])
        #expect(entries[0]["actor"]?.string?.hasPrefix("test releaser") == true)
        #expect(entries[0]["details"]?["approvedBy"]?.string?.hasPrefix("test admin") == true)
        #expect(entries[0]["details"]?["approval"]?.integer == 1)
        #expect(try await desk.call("POST", "\(Desk.approvals)/1/approve").code == "conflict")
    }

    @Test func `every change that widens waits, and those that stop or take back do not`() async throws {
        let desk = try await protected("1.0.0", "1.1.0")
        try await desk.service.release("1.0.0")
        let later = desk.service.fromNow(60_000)
        let made = try await desk.service.release("1.1.0", rollout: Rollout(percent: .init(percent: "10") ?? .none))
        let scheduled = try await desk.service.release("1.1.0", at: later)
        let one = "\(Desk.releases)/\(made.release.id)"
        let moved = "\(Desk.releases)/\(scheduled.release.id)"
        let other = JSON.string(desk.service.fromNow(120_000).rfc3339)
        let changes: [(String, String, JSON?, String)] = [
            ("PATCH", one, .object(["percent": 50]), "release.widen"),
            ("PATCH", moved, .object(["activeTime": other]), "release.reschedule"),
            ("POST", one + "/complete", nil, "release.complete"),
        ]
        for (method, path, body, action) in changes {
            let response = try await desk.call(method, path, body, as: .releaser)
            #expect(try response.status == 202 && response.json["action"]?.string == action, "\(response.text)")
        }
        #expect(try await desk.call("POST", one + "/pause", as: .releaser).status == 200)
        #expect(try await desk.call("POST", one + "/resume", as: .releaser).status == 202)
        #expect(try await desk.call("POST", one + "/halt", as: .releaser).status == 200)
        let resumed = try await desk.call("POST", one + "/resume", as: .releaser)
        #expect(resumed.status == 202)
        let id = try #require(try resumed.json["id"]?.integer)
        #expect(try await desk.call("POST", "\(Desk.approvals)/\(id)/approve").status == 200)
        #expect(try await desk.call("GET", one).json["state"]?.string == "active")
        #expect(try await desk.call("POST", one + "/rollback", as: .releaser).status == 201)
        let kill = try await desk.call(
            "POST", Desk.news + "/kill", .object(["to": "https://m.example.com"]), as: .releaser)
        #expect(kill.status == 201, "\(kill.text)")
    }

    @Test func `health rules are added at once, and changed or removed with an approval`() async throws {
        let desk = try await protected("1.0.0")
        let made = try await desk.service.release("1.0.0", rollout: Rollout(percent: .init(percent: "10") ?? .none))
        let one = "\(Desk.releases)/\(made.release.id)"
        let rules = JSON.object(["rules": .array([.object(["metric": "crashes", "ceiling": 1])])])
        #expect(try await desk.call("PATCH", one, .object(["health": rules]), as: .releaser).status == 200)
        let removal = try await desk.call("PATCH", one, .object(["health": .null]), as: .releaser)
        #expect(removal.status == 202, "\(removal.text)")
        #expect(try removal.json["action"]?.string == "release.health")
        #expect(try await desk.call("POST", Desk.approvals + "/1/approve").status == 200)
        #expect(try await desk.call("GET", one).json["health"] == nil)
    }

    @Test func `a rollback on a protected channel goes only to versions that were released to the same devices`()
        async throws
    {
        let desk = try await protected("1.0.0", "1.1.0", "2.0.0")
        try await desk.service.release("1.0.0")
        let made = try await desk.service.release("1.1.0")
        let path = "\(Desk.releases)/\(made.release.id)/rollback"
        let unknown = try await desk.call("POST", path, .object(["to": "2.0.0"]), as: .releaser)
        #expect(unknown.status == 409 && unknown.detail.contains("protected"))
        #expect(try await desk.call("POST", path, .object(["to": "1.0.0"]), as: .releaser).status == 201)
    }

    @Test func `a user and the tokens that the user made are one person`() async throws {
        let desk = try await protected("1.0.0")
        try await desk.makeUser("ann")
        try await desk.makeUser("bob")
        let (ann, bob) = (try await desk.signIn("ann"), try await desk.signIn("bob"))
        func token(_ name: String, by person: Desk.Person) async throws -> String {
            let body = JSON.object(["name": .string(name), "role": "admin"])
            return try #require(try await desk.call("POST", "/tokens", body, as: person).json["token"]?.string)
        }
        let first = try await token("ann (user #2)", by: ann)
        let made = try await desk.call(
            "POST", Desk.api + "/tokens", .object(["name": "x", "role": "admin"]), token: first)
        let second = try #require(try made.json["token"]?.string)
        let asked = try await desk.call("POST", Desk.releases, .object(["version": "1.0.0"]), token: second)
        #expect(asked.status == 202)
        for response in [
            try await desk.call("POST", "/apps/default/approvals/1/approve", as: ann),
            try await desk.call("POST", Desk.approvals + "/1/approve", token: first),
            try await desk.call("POST", Desk.approvals + "/1/approve", token: second),
        ] {
            #expect(response.status == 403 && response.detail.contains("second person"), "\(response.text)")
        }
        let other = try await token("bob", by: bob)
        #expect(try await desk.call("POST", Desk.approvals + "/1/approve", token: other).status == 200)
    }

    // MARK: Decisions

    @Test func `two approvals at once make the change once`() async throws {
        let desk = try await protected("1.0.0")
        let path = try await desk.ask()
        let others = [try await desk.service.makeToken(.releaser), try await desk.service.makeToken(.releaser)]
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for token in others {
                group.addTask { try await desk.call("POST", path + "/approve", token: token).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200, 409])
        #expect(try await desk.call("GET", Desk.releases).json["releases"]?.elements?.count == 1)
    }

    @Test func `a request that is rejected or withdrawn is not made`() async throws {
        let desk = try await protected("1.0.0")
        let first = try await desk.ask()
        #expect(try await desk.call("POST", first + "/reject", .object(["comment": "too early"])).status == 200)
        #expect(try await state(desk, first) == "rejected")
        let second = try await desk.ask()
        let other = try await desk.service.makeToken(.releaser)
        #expect(try await desk.call("POST", second + "/withdraw", token: other).code == "forbidden")
        #expect(try await desk.call("POST", second + "/withdraw", as: .releaser).status == 200)
        #expect(try await state(desk, second) == "withdrawn")
        for path in [first, second] {
            #expect(try await desk.call("POST", path + "/approve").code == "conflict")
        }
        #expect(
            try await actions(desk).prefix(4) == [
                "approval.withdraw", "approval.request", "approval.reject", "approval.request",
            ])
        #expect(try await version(desk) == nil)
    }

    @Test func `a request is approved until it expires`() async throws {
        let desk = try await protected("1.0.0")
        let (first, second) = (try await desk.ask(), try await desk.ask())
        desk.service.clock.advance(milliseconds: Approval.lifetimeMilliseconds - 1)
        #expect(try await desk.call("POST", first + "/approve").status == 200)
        try await desk.service.approvals.endExpired()
        #expect(try await state(desk, second) == "pending")
        desk.service.clock.advance(milliseconds: 1)
        #expect(try await state(desk, second) == "expired")
        let late = try await desk.call("POST", second + "/approve")
        #expect(late.code == "conflict" && late.detail.contains("expired"))
        try await desk.service.approvals.endExpired()
        try await desk.service.approvals.endExpired()
        #expect(try await actions(desk).count { $0 == "approval.expire" } == 1)
        #expect(try await desk.call("GET", second).json["decidedBy"]?.string == "server")
    }

    @Test func `an approval for another state is refused and says what has changed`() async throws {
        let desk = try await protected("1.0.0", "1.1.0")
        let made = try await desk.service.release("1.0.0", rollout: Rollout(percent: .init(percent: "10") ?? .none))
        let one = "\(Desk.releases)/\(made.release.id)"
        let widening = try await desk.call("PATCH", one, .object(["percent": 50]), as: .releaser)
        let creation = try await desk.ask(["version": "1.1.0"])
        #expect(try await desk.call("POST", one + "/pause").status == 200)
        #expect(
            try await desk.call("POST", one + "/resume", .object(["breakGlass": "It was a false alarm."])).status == 200
        )
        for path in [try #require(widening["Location"]), creation] {
            let response = try await desk.call("POST", path + "/approve")
            #expect(response.status == 409 && response.code == "approval-outdated", "\(response.text)")
            #expect(response.detail.contains("release \(made.release.id) has the revision 3 instead of 1"))
            #expect(try await state(desk, path) == "pending")
        }
    }

    @Test func `new default health rules outdate a request for a release`() async throws {
        let desk = try await protected("1.0.0")
        let path = try await desk.ask()
        let rules = JSON.object(["rules": .array([.object(["metric": "crashes", "ceiling": 1])])])
        #expect(try await desk.call("PUT", Desk.api + "/apps/default/health", rules).status == 200)
        let response = try await desk.call("POST", path + "/approve")
        #expect(response.code == "approval-outdated" && response.detail.contains("'health'"))
    }

    @Test func `a change that is refused leaves the request pending`() async throws {
        let desk = try await protected("1.0.0")
        let path = try await desk.ask(["version": "1.0.0", "activeTime": .string(desk.service.fromNow(1000).rfc3339)])
        desk.service.clock.advance(milliseconds: ReleaseDraft.momentTolerance + 1001)
        let response = try await desk.call("POST", path + "/approve")
        #expect(response.status == 400 && response.detail.contains("has passed"))
        #expect(try await state(desk, path) == "pending")
    }

    @Test func `a request of an operator who may no longer release is not approved`() async throws {
        let desk = try await protected("1.0.0")
        let (revoked, secret) = try await desk.service.tokens.create(name: "a", role: .releaser, by: .server)
        let expiry = desk.service.fromNow(1000)
        let expiring = try await desk.service.tokens.create(
            name: "b", role: .releaser, expiresAt: expiry, by: .server
        ).secret
        try await desk.makeUser("ann", Grant(.releaser, on: .everything))
        try await desk.makeUser("bob", Grant(.releaser, on: .everything))
        for token in [secret, expiring] {
            let asked = try await desk.call("POST", Desk.releases, .object(["version": "1.0.0"]), token: token)
            #expect(asked.status == 202)
        }
        for name in ["ann", "bob"] {
            let person = try await desk.signIn(name)
            let path = "/apps/default/packages/news/releases"
            #expect(try await desk.call("POST", path, .object(["version": "1.0.0"]), as: person).status == 202)
        }
        _ = try await desk.service.tokens.revoke(revoked.id, by: .server)
        desk.service.clock.advance(milliseconds: 1000)
        let disabled = try await desk.call("PATCH", Desk.api + "/users/ann", .object(["disabled": true]))
        #expect(disabled.status == 200, "\(disabled.text)")
        let grants = JSON.array([.object(["role": "publisher"])])
        #expect(try await desk.call("PATCH", Desk.api + "/users/bob", .object(["grants": grants])).status == 200)
        for id in 1...4 {
            let response = try await desk.call("POST", "\(Desk.approvals)/\(id)/approve")
            #expect(response.status == 409 && response.detail.contains("may no longer release"), "\(response.text)")
        }
    }

    @Test func `rights that end while patches are built end the approval with them`() async throws {
        let desk = try await protected("1.0.0")
        let (token, secret) = try await desk.service.tokens.create(name: "a", role: .releaser, by: .server)
        let body = JSON.object(["version": "1.0.0"])
        #expect(try await desk.call("POST", Desk.releases, body, token: secret).status == 202)
        let admin = try #require(try await desk.service.tokens.authenticate(desk.token(.admin)))
        let approved = try await desk.service.approvals.approve(
            ApprovalID(1), of: desk.service.app, comment: nil, ifMatch: nil, by: admin)
        _ = try await desk.service.tokens.revoke(token.id, by: .server)
        let changes = ReleaseChanges(
            services: desk.service.services, face: .release, app: try desk.service.app, body: body,
            author: approved.requester, precondition: nil)
        let package = try await desk.service.putPackage()
        let refused = await #expect(throws: PlatformError.self) { _ = try await changes.make(of: package) }
        #expect(refused?.code == .conflict && refused?.message.contains("may no longer release") == true)
        #expect(try await state(desk, "\(Desk.approvals)/1") == "pending")
    }

    @Test func `an approval of other health rules is outdated once there are none`() async throws {
        let desk = try await protected("1.0.0")
        let made = try await desk.service.release("1.0.0")
        let one = "\(Desk.releases)/\(made.release.id)"
        func rules(_ ceiling: Int64) -> JSON {
            .object([
                "health": .object(["rules": .array([.object(["metric": "crashes", "ceiling": .integer(ceiling)])])])
            ])
        }
        #expect(try await desk.call("PATCH", one, rules(1), as: .releaser).status == 200)
        let asked = try await desk.call("PATCH", one, rules(2), as: .releaser)
        #expect(asked.status == 202, "\(asked.text)")
        let removed = JSON.object(["health": .null, "breakGlass": "The rules stop every release."])
        #expect(try await desk.call("PATCH", one, removed).status == 200)
        let path = try #require(asked["Location"])
        let response = try await desk.call("POST", path + "/approve")
        #expect(response.code == "approval-outdated", "\(response.text)")
        #expect(try await state(desk, path) == "pending")
    }

    @Test func `an approval requires the role on the channel, and If-Match the state`() async throws {
        let desk = try await protected("1.0.0")
        let path = try await desk.ask()
        _ = try await desk.call("PUT", Desk.api + "/apps/default/channels/beta")
        let beta = try #require(ChannelName("beta"))
        let other = try await desk.service.makeToken(.releaser, on: .channel(beta, of: .default))
        #expect(try await desk.call("POST", path + "/approve", token: other).code == "forbidden")
        #expect(try await desk.call("GET", path, token: other).status == 200)
        let admin = try desk.token(.admin)
        let outdated = try await desk.service.send(
            TestRequest("POST", path + "/approve").by(admin).with("If-Match", "\"approved\""))
        #expect(outdated.code == "precondition-failed")
        let right = try await desk.service.send(
            TestRequest("POST", path + "/approve").by(admin).with("If-Match", "\"pending\""))
        #expect(right.status == 200)
    }
}
