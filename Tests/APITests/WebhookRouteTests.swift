import Domain
import Ground
import Platform
import ServiceKit
import Store
import TestKit
import Testing

@Suite(.scratchMemory)
struct WebhookRouteTests {
    private static let url = "https://hooks.example/T0/secret-part?token=t"

    private func make(
        _ desk: Desk, _ members: KeyValuePairs<String, JSON?> = ["url": .string(url)]
    ) async throws -> JSON {
        let response = try await desk.call("POST", Desk.webhooks, .object(members))
        try #require(response.status == 201, "\(response.text)")
        return try response.json
    }

    /// The newest entries of the audit log as text.
    private func audit(_ desk: Desk) async throws -> String { try await desk.call("GET", Desk.api + "/audit").text }

    @Test func `a webhook shows its secret once`() async throws {
        let desk = try await Desk()
        let made = try await make(desk)
        let secret = try #require(made["secret"]?.string)
        #expect(secret.hasPrefix("whsec_"))
        #expect(made["kind"] == "standard" && made["state"] == "active" && made["events"] == .array(["*"]))
        #expect(made["url"]?.string == Self.url && made["id"] == 1)
        for path in [Desk.webhooks, Desk.webhooks + "/1"] {
            let response = try await desk.call("GET", path)
            #expect(response.status == 200 && !response.text.contains(secret) && response.text.contains(Self.url))
        }
        let rehearsal = try await desk.call("POST", Desk.webhooks + "?dryRun=1", .object(["url": .string(Self.url)]))
        #expect(try rehearsal.status == 200 && rehearsal.json["id"] == 2 && rehearsal.json["secret"] == nil)
    }

    @Test func `the audit log names changes with the host and never the URL or a secret`() async throws {
        let desk = try await Desk()
        let made = try await make(desk)
        let robot = try await make(desk, ["kind": "dingtalk", "url": .string(Self.url), "secret": "SECret"])
        #expect(robot["secret"] == nil)
        for (method, path, body) in [
            ("PATCH", "/2", JSON.object(["secret": "SECond", "events": .array(["release.*"])])),
            ("POST", "/1/rotate-secret", .object([])), ("POST", "/1/pause", .object([])),
            ("POST", "/1/resume", .object(["skip": true])),
        ] {
            let response = try await desk.call(method, Desk.webhooks + path, body)
            #expect(response.status == 200, "\(response.text)")
        }
        #expect(try await desk.call("DELETE", Desk.webhooks + "/2").json["url"]?.string == Self.url)
        let text = try await audit(desk)
        for action in ["make", "change", "rotate-secret", "pause", "resume", "delete"] {
            #expect(text.contains("\"webhook.\(action)\""))
        }
        #expect(text.contains("hooks.example"))
        for hidden in ["secret-part", "token=t", "SECret", "SECond", try #require(made["secret"]?.string)] {
            #expect(!text.contains(hidden))
        }
    }

    @Test func `a rotation shows the new secret and the end of the previous one`() async throws {
        let desk = try await Desk()
        let first = try await make(desk)["secret"]
        let rotated = try await desk.call("POST", Desk.webhooks + "/1/rotate-secret").json
        #expect(rotated["secret"] != nil && rotated["secret"] != first)
        let day = desk.service.fromNow(24 * 3_600_000).rfc3339
        #expect(rotated["previousSecretUntil"]?.string == day)
        let path = Desk.webhooks + "/1/rotate-secret"
        for (hours, status) in [(-1, 400), (0, 200), (720, 200), (721, 400)] {
            #expect(
                try await desk.call("POST", path, .object(["overlapHours": .integer(Int64(hours))])).status == status)
        }
        _ = try await make(desk, ["kind": "slack", "url": .string(Self.url)])
        let refused = try await desk.call("POST", Desk.webhooks + "/2/rotate-secret")
        #expect(refused.status == 409 && refused.code == "conflict")
    }

    @Test func `a paused webhook says why, and one that resumes may skip what waits`() async throws {
        let desk = try await Desk()
        let made = try await make(desk)
        let paused = try await desk.call("POST", Desk.webhooks + "/1/pause").json
        #expect(paused["state"] == "paused" && paused["pausedBecause"]?.string == "an operator paused the webhook")
        #expect(paused["pausedAt"]?.string == desk.service.clock.now().rfc3339)
        #expect(paused["deliveredThrough"] == made["deliveredThrough"])
        let resumed = try await desk.call("POST", Desk.webhooks + "/1/resume").json
        #expect(resumed["state"] == "active" && resumed["deliveredThrough"] == made["deliveredThrough"])
        let skipped = try await desk.call("POST", Desk.webhooks + "/1/resume", .object(["skip": true])).json
        let newest = try await desk.service.store.audit(before: nil, limit: 1).first?.id
        #expect(skipped["deliveredThrough"]?.integer == newest)
    }

    @Test func `a webhook that cannot be decrypted is listed as unreadable, and can be deleted`() async throws {
        let desk = try await Desk()
        _ = try await make(desk)
        try Database(.file("\(desk.service.folder)/larder.sqlite")).execute("UPDATE webhooks SET sealed = 1")
        let listed = try await desk.call("GET", Desk.webhooks).json["webhooks"]?.elements?.first
        #expect(listed?["state"] == "unreadable" && listed?["url"] == nil && listed?["id"] == 1)
        let refused = try await desk.call("PATCH", Desk.webhooks + "/1", .object(["url": .string(Self.url)]))
        #expect(refused.status == 409 && refused.detail.contains("Delete the webhook"))
        #expect(try await desk.call("DELETE", Desk.webhooks + "/1").status == 200)
    }

    @Test func `a failing webhook shows its attempts, in its state, its deliveries and the metrics`() async throws {
        let desk = try await Desk()
        _ = try await make(desk, ["url": .string(Desk.receiver)])
        let test = try await desk.call("POST", Desk.webhooks + "/1/test").json
        #expect(test["outcome"] == "forbidden" && test["event"] == "webhook.test" && test["entry"] == nil)
        _ = try await desk.service.putPackage()
        await desk.service.webhookSender.pass { _ in }
        let state = try await desk.call("GET", Desk.webhooks + "/1").json
        #expect(state["state"] == "failing" && state["failures"] == 1)
        #expect(state["failingSince"]?.string == desk.service.clock.now().rfc3339)
        #expect(state["nextAttempt"]?.string == desk.service.fromNow(WebhookProgress.firstDelay).rfc3339)
        let list = try await desk.call("GET", Desk.webhooks + "/1/deliveries").json["deliveries"]?.elements
        #expect(list?.map { $0["number"] } == [2, 1] && list?.first?["event"] == "package.put")
        #expect(list?.first?["reason"]?.string?.contains("--webhook-networks") == true)
        let metrics = try await desk.call("GET", "/metrics").text
        #expect(metrics.contains("larder_webhook_deliveries_total{outcome=\"forbidden\"} 2\n"))
        #expect(metrics.contains("larder_webhook_deliveries_total{outcome=\"delivered\"} 0\n"))
    }

    static let wrong: [(JSON, String)] = [
        (.object([]), "'url' must be"), (.object(["url": "ftp://a.example"]), "'url' must be"),
        (.object(["url": "https://user:pass@a.example/"]), "without user"),
        (.object(["url": .string("https://a.example/" + String(repeating: "a", count: 2031))]), "at most 2048 bytes"),
        (.object(["url": "http://10.0.0.1/"]), "not public"), (.object(["url": "http://[::1]:80/"]), "not public"),
        (.object(["url": "https://a.example/", "kind": "mail"]), "'kind' must be one of standard, slack"),
        (.object(["url": "https://a.example/", "events": .array([])]), "'events' must be"),
        (.object(["url": "https://a.example/", "events": .array(["release.maek"])]), "'events' must be"),
        (.object(["url": "https://a.example/", "events": .array([1])]), "'events' must be"),
        (.object(["url": "https://a.example/", "secret": "s"]), "server generates the secret"),
        (.object(["url": "https://a.example/", "kind": "slack", "secret": "s"]), "have no secret"),
        (.object(["url": "https://a.example/", "kind": "feishu", "secret": "a b"]), "'secret' must be"),
        (.object(["url": "https://a.example/", "name": "x"]), "unknown member 'name'"),
    ]

    @Test(arguments: wrong)
    func `a malformed webhook is refused`(body: JSON, message: String) async throws {
        let desk = try await Desk()
        let response = try await desk.call("POST", Desk.webhooks, body)
        #expect(response.status == 400 && response.detail.contains(message), "\(response.text)")
        #expect(!response.text.contains("pass@"))
    }

    @Test func `a URL may have 2048 bytes`() async throws {
        let url = "https://a.example/" + String(repeating: "a", count: 2030)
        #expect(try await make(Desk(), ["url": .string(url)])["url"]?.string == url)
    }

    @Test(arguments: ["1", "0", "x", "99999999999999999999"])
    func `an unknown webhook is not found`(id: String) async throws {
        let desk = try await Desk()
        for (method, path) in [
            ("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/pause"), ("POST", "/resume"), ("POST", "/test"),
            ("POST", "/rotate-secret"), ("GET", "/deliveries"),
        ] {
            let response = try await desk.call(method, "\(Desk.webhooks)/\(id)\(path)")
            #expect(response.status == 404 && response.code == "webhook-not-found", "\(method) \(path)")
        }
        _ = try await make(desk)
        _ = try await desk.call("PUT", Desk.api + "/apps/shop")
        #expect(try await desk.call("GET", Desk.api + "/apps/shop/webhooks/1").code == "webhook-not-found")
    }

    @Test func `an app has 20 webhooks at most`() async throws {
        let desk = try await Desk()
        for _ in 1...Webhook.maximumPerApp { _ = try await make(desk) }
        let refused = try await desk.call("POST", Desk.webhooks, .object(["url": .string(Self.url)]))
        #expect(refused.status == 409 && refused.code == "conflict")
    }
}
