import Artifacts
import Domain
import Ground
import Testing

struct WebhookTests {
    private let cryptography = OpenSSLCryptography()
    private let now = Timestamp(milliseconds: 1_767_225_600_000)

    private func webhook(
        _ kind: WebhookKind, url: String = "https://hooks.example/a?token=t", secret: String? = nil
    ) throws -> Webhook {
        let endpoint = WebhookEndpoint(
            url: url, secret: try secret.map { try #require(WebhookSecret($0)) })
        return Webhook(
            id: WebhookID(7), app: .default, kind: kind, endpoint: endpoint, events: .all, createdAt: now,
            progress: WebhookProgress(deliveredThrough: 0, nextAt: now))
    }

    private func message(subject: String = "news@1.1.0", actor: String = "ci (#2)") -> WebhookMessage {
        let entry = AuditEntry(
            time: now, actor: actor, action: "release.make", app: .default, subject: subject,
            details: [.init("percent", 10)])
        return WebhookMessage(entry: 42, entry, epoch: "00ff")
    }

    // MARK: Signatures

    @Test func `the signature is that of the specification's example`() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let signature = secret.signature(
            ofMessage: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: "1614265330", Array(#"{"test": 2432232314}"#.utf8),
            by: cryptography)
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func `a message of Standard Webhooks has the entry, its time, an id and a signature of all`() throws {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        let request = try #require(
            try webhook(.standard, secret: secret).request(for: message(), at: now, by: cryptography))
        #expect(request.url == "https://hooks.example/a?token=t")
        #expect(request.fields["webhook-id"] == "00ff-42" && request.fields["webhook-timestamp"] == "1767225600")
        let signature = try #require(WebhookSecret(secret)).signature(
            ofMessage: "00ff-42", at: "1767225600", request.body, by: cryptography)
        #expect(request.fields["webhook-signature"] == signature)
        let json = try #require(JSON(parsing: request.body))
        #expect(json["type"] == "release.make" && json["timestamp"] == "2026-01-01T00:00:00Z")
        #expect(json["data"]?["id"] == 42 && json["data"]?["details"]?["percent"] == 10)
    }

    @Test func `after a rotation both secrets sign until the previous one ends`() throws {
        var webhook = try webhook(.standard, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        let end = now.adding(milliseconds: 1000)
        webhook.endpoint?.rotate(to: WebhookSecret(by: cryptography), keepingUntil: end, at: now)
        func signatures(at instant: Timestamp) -> [Substring]? {
            webhook.request(for: message(), at: instant, by: cryptography)?.fields["webhook-signature"]?.split(
                separator: " ")
        }
        #expect(signatures(at: now)?.count == 2 && signatures(at: end)?.count == 1)
        #expect(signatures(at: end.adding(milliseconds: -1))?.count == 2)
        let restored = try #require(webhook.endpoint.flatMap { WebhookEndpoint($0.json) })
        #expect(restored == webhook.endpoint)
    }

    @Test func `rotations within the overlap keep up to five previous secrets, each until its own end`() throws {
        let secrets = (0...6).map { _ in WebhookSecret(by: cryptography) }
        var endpoint = WebhookEndpoint(url: "https://hooks.example/", secret: secrets[0])
        for (number, secret) in secrets.enumerated().dropFirst() {
            let end = now.adding(milliseconds: Int64(number) * 1000)
            endpoint.rotate(to: secret, keepingUntil: end, at: now)
            let previous = secrets[..<number].suffix(WebhookEndpoint.maximumPrevious).reversed()
            #expect(endpoint.previous.map(\.secret) == Array(previous))
        }
        #expect(WebhookEndpoint(endpoint.json) == endpoint)
        endpoint.removeEndedSecrets(at: now.adding(milliseconds: 4000))
        #expect(endpoint.previous.map(\.secret) == [secrets[5], secrets[4]])
        endpoint.rotate(to: secrets[0], keepingUntil: now, at: now)
        #expect(endpoint.previous == [] && endpoint.secret == secrets[0])
    }

    @Test func `an endpoint that cannot be decrypted gets no request`() throws {
        var webhook = try webhook(.slack)
        webhook.endpoint = nil
        #expect(webhook.request(for: message(), at: now, by: cryptography) == nil)
    }

    @Test func `a generated secret has 32 random bytes and is never printed`() {
        let (one, other) = (WebhookSecret(by: cryptography), WebhookSecret(by: cryptography))
        #expect(
            one != other && one.text.hasPrefix("whsec_") && Base64.decode(String(one.text.dropFirst(6)))?.count == 32)
        #expect(!"\(one)".contains(one.text.dropFirst(6)))
        let endpoint = WebhookEndpoint(url: "https://hooks.example:8443/a?token=t", secret: one)
        #expect("\(endpoint)" == "hooks.example:8443")
    }

    @Test func `the secret of a robot has 200 visible characters at most`() {
        let longest = String(repeating: "s", count: WebhookSecret.maximumLength)
        #expect(WebhookSecret(longest)?.text == longest)
        for wrong in ["", longest + "s", "a b", "a\n", "秘"] { #expect(WebhookSecret(wrong) == nil) }
    }

    @Test func `a robot of Feishu gets time and signature in the body`() throws {
        let body = try webhook(.feishu, secret: "demo").request(for: message(), at: now, by: cryptography)?.body
        let json = try #require(JSON(parsing: body ?? []))
        #expect(json["timestamp"] == "1767225600" && json["sign"] == "OeJmDC3C7FsudJ7/9z2vZtAnXCvb3MhsqwPgUZXABqw=")
        #expect(json["msg_type"] == "text")
        #expect(
            json["content"]?["text"]?.string
                == "Larder: release.make news@1.1.0 in default, by ci (#2)\n{\"percent\":10}")
        let plain = try webhook(.feishu).request(for: message(), at: now, by: cryptography)?.body ?? []
        #expect(JSON(parsing: plain)?["sign"] == nil && JSON(parsing: plain)?["timestamp"] == nil)
    }

    @Test func `a robot of DingTalk gets time and signature in the query`() throws {
        let query = "timestamp=1767225600000&sign=obv1jKXupdCsRrmQyT6z59MdIICFujSKQJly1hcEYiE%3D"
        for (url, expected) in [("https://d.example/robot?access_token=t", "&"), ("https://d.example/robot", "?")] {
            let request = try #require(
                try webhook(.dingtalk, url: url, secret: "SECdemo").request(for: message(), at: now, by: cryptography))
            #expect(request.url == url + expected + query)
            #expect(JSON(parsing: request.body)?["msgtype"] == "text")
        }
        let plain = try webhook(.dingtalk).request(for: message(), at: now, by: cryptography)
        #expect(plain?.url == "https://hooks.example/a?token=t")
    }

    @Test func `texts for people contain no mention and no tag`() throws {
        let hostile = message(subject: "<!channel> & <at user_id=\"all\">", actor: "<\u{301}at>")
        let slack = try text(of: hostile, to: .slack)
        #expect(slack.contains("&lt;!channel&gt; &amp; &lt;at"))
        for text in [slack, try text(of: hostile, to: .feishu)] {
            #expect(!text.unicodeScalars.contains { $0 == "<" || $0 == ">" })
        }
    }

    @Test(arguments: ["@all", "@channel", "@everyone", "@here"])
    func `texts of Slack's format contain no plain mention of other programs`(mention: String) throws {
        let slack = try text(of: message(subject: mention, actor: "a \(mention)\u{301}"), to: .slack)
        #expect(!slack.unicodeScalars.split(separator: "@").dropFirst().contains { $0.first != "\u{2060}" })
        #expect(slack.unicodeScalars.contains("@"))
    }

    private func text(of message: WebhookMessage, to kind: WebhookKind) throws -> String {
        let body = try webhook(kind).request(for: message, at: now, by: cryptography)?.body
        let json = try #require(JSON(parsing: body ?? []))
        return json["text"]?.string ?? json["content"]?["text"]?.string ?? ""
    }

    // MARK: Replies

    @Test(arguments: [
        (WebhookKind.standard, 200, "", WebhookOutcome.Kind.delivered), (.standard, 299, "{\"code\":1}", .delivered),
        (.standard, 300, "", .rejected), (.slack, 404, "no_team", .rejected),
        (.feishu, 200, #"{"code":0,"msg":"success"}"#, .delivered), (.feishu, 200, "ok", .rejected),
        (.feishu, 200, #"{"StatusCode":0,"StatusMessage":"success"}"#, .delivered), (.feishu, 200, "{}", .rejected),
        (.feishu, 200, #"{"errcode":0}"#, .rejected), (.dingtalk, 200, "<html>", .rejected),
        (.dingtalk, 200, #"{"errcode":"0"}"#, .rejected), (.dingtalk, 204, "", .rejected),
        (.feishu, 200, #"{"code":19021,"msg":"sign match fail"}"#, .rejected),
        (.dingtalk, 200, #"{"errcode":0,"errmsg":"ok"}"#, .delivered),
        (.dingtalk, 200, #"{"errcode":310000,"errmsg":"sign not match"}"#, .rejected), (.dingtalk, 500, "", .rejected),
    ])
    func `a response is a delivery or a failure by the rules of its kind`(
        kind: WebhookKind, status: Int, body: String, expected: WebhookOutcome.Kind
    ) {
        let outcome = kind.outcome(of: .response(status: status, retryAfter: nil, body: Array(body.utf8)))
        #expect(outcome.kind == expected && outcome.status == status)
        #expect(outcome.reason.isEmpty == (expected == .delivered))
    }

    @Test func `a failure keeps a bounded reason without control characters`() {
        let outcome = WebhookKind.slack.outcome(of: .failure("a\u{1B}" + String(repeating: "x", count: 400)))
        #expect(outcome.kind == .unreachable && outcome.reason.utf8.count <= 310 && !outcome.reason.contains("\u{1B}"))
        #expect(WebhookKind.slack.outcome(of: .forbidden("no")).kind == .forbidden)
    }

    // MARK: Retries

    @Test func `delays double up to a quarter of an hour, and a delivery ends the failure`() {
        var (progress, time) = (WebhookProgress(deliveredThrough: 1, nextAt: now), now)
        var delays: [Int64] = []
        for _ in 1...10 {
            let (next, pause) = progress.failed(WebhookOutcome(.unreachable), at: time)
            #expect(pause == nil)
            delays.append((next.nextAt.milliseconds - time.milliseconds) / 1000)
            (progress, time) = (next, next.nextAt)
        }
        #expect(delays == [5, 10, 20, 40, 80, 160, 320, 640, 900, 900])
        #expect(progress.failures == 10 && progress.failingSince == now && progress.deliveredThrough == 1)
        let done = progress.delivered(2, at: time)
        #expect(done == WebhookProgress(deliveredThrough: 2, nextAt: time))
    }

    @Test func `a webhook that fails for a day is paused, and not a millisecond before`() {
        let first = failing(failures: WebhookProgress.pausingFailures - 1)
        let end = now.adding(milliseconds: WebhookProgress.patience)
        let last = WebhookOutcome(.rejected, status: 500, reason: "why")
        #expect(first.failed(last, at: end.adding(milliseconds: -1)).1 == nil)
        let pause = first.failed(last, at: end).1
        #expect(pause?.time == end)
        #expect(pause?.reason == "24 attempts since 2026-01-01T00:00:00Z failed; the last one: why")
    }

    @Test func `a clock that jumps pauses no webhook that has failed fewer than 24 times`() {
        let last = WebhookOutcome(.unreachable)
        let later = now.adding(milliseconds: 10 * WebhookProgress.patience)
        #expect(failing(failures: WebhookProgress.pausingFailures - 2).failed(last, at: later).1 == nil)
        // After the clock was set back, the day begins anew.
        let earlier = now.adding(milliseconds: -WebhookProgress.patience)
        let (next, pause) = failing(failures: 100).failed(last, at: earlier)
        #expect(next.failingSince == earlier && pause == nil)
        #expect(next.failed(last, at: now).1 != nil)
    }

    private func failing(failures: Int) -> WebhookProgress {
        WebhookProgress(deliveredThrough: 1, failures: failures, failingSince: now, nextAt: now)
    }

    @Test func `a receiver that is gone is paused at once`() {
        let outcome = WebhookKind.standard.outcome(of: .response(status: 410, retryAfter: nil, body: []))
        #expect(WebhookProgress(deliveredThrough: 1, nextAt: now).failed(outcome, at: now).1 != nil)
    }

    @Test(
        arguments: [
            (1, 5_000), (60, 60_000), (3_600, 3_600_000), (3_601, 3_600_000), (-1, 5_000), (Int.max, 3_600_000),
        ] as [(Int, Int64)])
    func `Retry-After lengthens a delay up to an hour`(seconds: Int, delay: Int64) {
        let outcome = WebhookKind.slack.outcome(of: .response(status: 429, retryAfter: seconds, body: []))
        let next = WebhookProgress(deliveredThrough: 1, nextAt: now).failed(outcome, at: now).0
        #expect(next.nextAt == now.adding(milliseconds: delay))
    }

    // MARK: Events

    @Test func `patterns select actions, a subject's actions or all`() throws {
        let events = try #require(WebhookEvents(["release.*", "version.publish", "release.*"]))
        #expect(events.patterns == ["release.*", "version.publish"])
        #expect(events.matches("release.halt") && events.matches("version.publish"))
        #expect(!events.matches("release-set.halt") && !events.matches("version.notes"))
        #expect(WebhookEvents.all.matches("anything"))
    }

    @Test(arguments: [[], ["release"], ["releases.*"], [".*"], [""], ["release.make", "x.y"], ["re*"]])
    func `a pattern that matches no action is refused`(patterns: [String]) {
        #expect(WebhookEvents(patterns) == nil)
    }

    @Test func `a webhook has 50 patterns at most`() {
        #expect(WebhookEvents(Array(repeating: "*", count: 50)) != nil)
        #expect(WebhookEvents(Array(repeating: "*", count: 51)) == nil)
    }
}
