import Artifacts
import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import Store
import Synchronization
import TestKit
import Testing
import Wiring

/// Tests the delivery of audit entries to receivers over sockets.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct WebhookSenderTests {
    private static let loopback = "127.0.0.0/8"

    private func service(
        permitting networks: [String] = [loopback], timeLimit: Duration = .seconds(10)
    ) async throws -> TestService {
        let post = HTTPWebhookPost(permitting: networks.compactMap(AddressRange.init), timeLimit: timeLimit)
        return try await TestService(webhookPost: post)
    }

    private func make(
        _ url: String, in service: TestService, _ kind: WebhookKind = .standard, events: WebhookEvents = .all,
        secret: String? = nil
    ) async throws -> Webhook {
        try await service.webhooks.make(
            kind, url: url, events: events, secret: secret, of: service.app, by: .server)
    }

    /// Writes an audit entry with a subject.
    private func note(_ subject: String, in service: TestService, action: AuditAction = .putPackage) async throws {
        try await service.store.recordAudit(
            AuditEntry(
                time: service.clock.now(), actor: "me", action: action.rawValue, app: .default, subject: subject))
    }

    private func pass(_ service: TestService) async {
        await service.webhookSender.pass { event in
            if case .failed(let error) = event { Issue.record(error) }
        }
    }

    private func current(_ webhook: Webhook, in service: TestService) async throws -> Webhook {
        try await service.webhooks.requireWebhook(webhook.id, of: service.app)
    }

    private func subject(_ request: TinyServer.Request) -> String? {
        JSON(parsing: request.body)?["data"]?["subject"]?.string
    }

    // MARK: Delivery

    @Test func `entries arrive in their order, each once and signed`() async throws {
        let receiver = TinyServer { _ in .response(204) }
        let service = try await service()
        let webhook = try await make(receiver.base + "/hook?a=b", in: service)
        for number in 1...5 { try await note("\(number)", in: service) }
        await pass(service)
        await pass(service)
        #expect(receiver.requests.map(subject) == ["1", "2", "3", "4", "5"])
        let request = try #require(receiver.requests.first)
        #expect(request.method == "POST" && request.path == "/hook" && request.query == "a=b")
        #expect(request.fields["content-type"] == "application/json; charset=utf-8")
        let secret = try #require(webhook.endpoint?.secret)
        let (id, time) = (try #require(request.fields["webhook-id"]), try #require(request.fields["webhook-timestamp"]))
        #expect(time == "\(service.clock.now().milliseconds / 1000)")
        #expect(
            request.fields["webhook-signature"]
                == secret.signature(ofMessage: id, at: time, request.body, by: OpenSSLCryptography()))
        #expect(Set(receiver.requests.map { $0.fields["webhook-id"] }).count == 5)
        let deliveries = try await service.webhooks.deliveries(of: webhook)
        #expect(deliveries.count == 5 && deliveries.allSatisfy { $0.outcome.kind == .delivered })
        #expect(service.webhookSender.counts == [.delivered: 5])
    }

    @Test func `entries of other actions and other apps are passed over`() async throws {
        let receiver = TinyServer { _ in .response(200) }
        let service = try await service()
        let events = try #require(WebhookEvents(["release.*"]))
        let webhook = try await make(receiver.base, in: service, events: events)
        try await note("a", in: service)
        try await note("b", in: service, action: .haltRelease)
        for _ in 0...WebhookSender.page { try await note("c", in: service) }
        try await service.store.recordAudit(
            AuditEntry(
                time: service.clock.now(), actor: "me", action: "release.halt", app: AppID("other"), subject: "d"))
        await pass(service)
        await pass(service)
        #expect(receiver.requests.map(subject) == ["b"])
        let now = service.clock.now()
        #expect(try await service.store.dueWebhooks(at: now, limit: 9) == [])
        #expect(try await current(webhook, in: service).progress.failures == 0)
    }

    @Test func `a running sender delivers soon, and a cancelled one abandons requests without a response`() async throws
    {
        let receiver = TinyServer { request in request.path == "/fine" ? .response(200) : .silence }
        let service = try await service(timeLimit: .seconds(600))
        let loop = Task { await service.webhookSender.run { _ in } }
        let fine = try await make(receiver.base + "/fine", in: service)
        _ = try await make(receiver.base + "/hang", in: service)
        _ = try await service.putPackage()
        while receiver.requests(to: "/fine").count < 2 || receiver.requests(to: "/hang").isEmpty {
            try await Task.sleep(for: .milliseconds(10))
        }
        loop.cancel()
        await loop.value
        #expect(try await service.webhooks.deliveries(of: fine).allSatisfy { $0.outcome.kind == .delivered })
    }

    @Test func `while the store cannot write, a message is sent once, and its result is recorded afterwards`()
        async throws
    {
        let receiver = TinyServer { _ in .response(200) }
        let service = try await service()
        let webhook = try await make(receiver.base, in: service)
        for number in 1...2 { try await note("\(number)", in: service) }
        let (failures, writes) = (Counter(), Counter())
        service.store.setBefore(.recordProgress) { () throws(PlatformError) in
            writes.increment()
            throw PlatformError(.storageFull, "full")
        }
        for _ in 0..<3_600 {
            await service.webhookSender.pass { event in
                if case .failed = event { failures.increment() }
            }
            service.clock.advance(milliseconds: 1_000)
        }
        #expect(receiver.requests.map(subject) == ["1"])
        // The waits double from 5 seconds to 15 minutes; the first of consecutive failures is reported.
        #expect((9...13).contains(writes.value) && failures.value == 1)
        service.store.setBefore(.recordProgress, nil)
        service.clock.advance(milliseconds: WebhookProgress.longestDelay)
        await pass(service)
        await pass(service)
        #expect(receiver.requests.map(subject) == ["1", "2"])
        #expect(try await service.webhooks.deliveries(of: webhook).count == 2)
    }

    @Test func `a pause that was committed with an unknown outcome is reported, with its attempt listed once`()
        async throws
    {
        let receiver = TinyServer { _ in .response(410) }
        let service = try await service()
        let webhook = try await make(receiver.base, in: service)
        try await note("1", in: service)
        let paused = Counter()
        service.store.setAfter(.recordProgress) { () throws(PlatformError) in
            throw PlatformError(.storageUnavailable, "away")
        }
        for _ in 1...2 {
            await service.webhookSender.pass { event in
                if case .paused(webhook.id, of: .default, _) = event { paused.increment() }
            }
            service.store.setAfter(.recordProgress, nil)
            service.clock.advance(milliseconds: WebhookProgress.firstDelay)
        }
        #expect(paused.value == 1 && receiver.requests.count == 1)
        #expect(try await service.webhooks.deliveries(of: webhook).count == 1)
        #expect(try await current(webhook, in: service).pause != nil)
    }

    @Test func `a result without a record is abandoned if the webhook was removed or the lease is lost`() async throws {
        let receiver = TinyServer { _ in .response(200) }
        let service = try await service()
        let webhook = try await make(receiver.base, in: service)
        try await note("1", in: service)
        service.store.setBefore(.recordProgress) { () throws(PlatformError) in throw .leaseLost(to: nil) }
        for _ in 1...2 { await service.webhookSender.pass { _ in } }
        #expect(receiver.requests.map(subject) == ["1", "1"])
        service.store.setBefore(.recordProgress) { () throws(PlatformError) in
            throw PlatformError(.storageFull, "full")
        }
        await service.webhookSender.pass { _ in }
        service.store.setBefore(.recordProgress, nil)
        _ = try await service.webhooks.remove(webhook.id, of: service.app, by: .server)
        service.clock.advance(milliseconds: WebhookProgress.firstDelay)
        await pass(service)
        #expect(receiver.requests.count == 3)
    }

    @Test func `a message that was delivered during a change is not sent again`() async throws {
        let (receiver, gate) = (TinyServer { _ in .response(200) }, Gate())
        let service = try await service()
        let held = TinyServer { _ in
            gate.pass()
            return .response(200)
        }
        let webhook = try await make(held.base, in: service, events: try #require(WebhookEvents(["package.*"])))
        try await note("1", in: service)
        let delivery = Task { await pass(service) }
        await gate.arrival()
        _ = try await service.webhooks.change(
            webhook.id, Webhooks.Change(url: receiver.base), of: service.app, by: .server)
        gate.open()
        await delivery.value
        await pass(service)
        #expect(held.requests.count == 1 && receiver.requests.count == 0)
        try await note("2", in: service)
        await pass(service)
        #expect(receiver.requests.map(subject) == ["2"])
    }

    @Test func `a query that began before a delivery ended does not send the message again`() async throws {
        let gate = Gate()
        let receiver = TinyServer { _ in
            gate.pass()
            return .response(200)
        }
        let service = try await service()
        _ = try await make(receiver.base, in: service)
        try await note("1", in: service)
        let delivery = Task { await pass(service) }
        await gate.arrival()
        service.store.setAfter(.dueWebhooks) { () throws(PlatformError) in
            gate.open()
            await delivery.value
        }
        await pass(service)
        service.store.setAfter(.dueWebhooks, nil)
        await pass(service)
        #expect(receiver.requests.map(subject) == ["1"])
    }

    @Test func `a change keeps a pause that was made meanwhile`() async throws {
        let service = try await service()
        let webhook = try await make("http://127.0.0.1:9/", in: service)
        var paused = webhook
        paused.pause = Webhook.Pause(time: service.clock.now(), reason: "why")
        let (store, count, pausing) = (service.store, Counter(), paused)
        store.setBefore(.changeWebhook) { () throws(PlatformError) in
            count.increment()
            guard count.value == 1 else { return }
            _ = try await store.recordProgress(pausing, after: pausing.progress.deliveredThrough, nil, audit: nil)
        }
        let changed = try await service.webhooks.change(
            webhook.id, Webhooks.Change(url: "http://127.0.0.1:10/"), of: service.app, by: .server)
        #expect(changed.pause == paused.pause && changed.endpoint?.url == "http://127.0.0.1:10/" && count.value == 2)
    }

    @Test func `a webhook whose endpoint cannot be decrypted delays no other`() async throws {
        let receiver = TinyServer { _ in .response(200) }
        let service = try await service()
        let broken = try await make(receiver.base, in: service)
        _ = try await make(receiver.base, in: service, events: try #require(WebhookEvents(["package.*"])))
        try Database(.file("\(service.folder)/larder.sqlite")).execute("UPDATE webhooks SET sealed = 1 WHERE id = 1")
        try await note("1", in: service)
        let reports = Counter()
        for _ in 1...2 {
            await service.webhookSender.pass { event in
                if case .unreadable(broken.id, of: .default) = event { reports.increment() }
            }
            service.clock.advance(milliseconds: WebhookProgress.firstDelay)
        }
        #expect(receiver.requests.map(subject) == ["1"] && reports.value == 1)
        let state = try await current(broken, in: service)
        #expect(state.endpoint == nil && state.progress.failures == 2)
        #expect(try await service.webhooks.deliveries(of: state).first?.outcome.reason.contains("decrypted") == true)
        let error = await #expect(throws: PlatformError.self) {
            try await service.webhooks.change(
                broken.id, Webhooks.Change(url: receiver.base), of: service.app, by: .server)
        }
        #expect(error?.code == .conflict)
        _ = try await service.webhooks.remove(broken.id, of: service.app, by: .server)
    }

    // MARK: Faulty receivers

    @Test func `a receiver without a response is retried after the time limit, and delays no other`() async throws {
        let (hanging, fine) = (TinyServer { _ in .silence }, TinyServer { _ in .response(200) })
        let service = try await service(timeLimit: .milliseconds(300))
        let slow = try await make(hanging.base, in: service)
        let other = try await make(fine.base, in: service, events: try #require(WebhookEvents(["package.*"])))
        for number in 1...2 { try await note("\(number)", in: service) }
        await pass(service)
        #expect(fine.requests.map(subject) == ["1", "2"])
        let state = try await current(slow, in: service)
        #expect(state.progress.failures == 1 && hanging.requests.count == 1)
        let attempt = try #require(try await service.webhooks.deliveries(of: slow).first)
        #expect(attempt.outcome.kind == .unreachable && attempt.outcome.reason.contains("in time"))
        await pass(service)
        #expect(hanging.requests.count == 1)
        service.clock.set(to: state.progress.nextAt)
        await pass(service)
        #expect(hanging.requests.count == 2)
        #expect(try await current(other, in: service).progress.failures == 0)
    }

    @Test func `16 webhooks are served at a time, and a further one after them`() async throws {
        let receiver = TinyServer { _ in .silence }
        let service = try await service(timeLimit: .milliseconds(300))
        let events = try #require(WebhookEvents(["package.*"]))
        for _ in 0...WebhookSender.width { _ = try await make(receiver.base, in: service, events: events) }
        try await note("1", in: service)
        await pass(service)
        #expect(receiver.requests.count == WebhookSender.width)
        await pass(service)
        #expect(receiver.requests.count == WebhookSender.width + 1)
    }

    @Test func `slow receivers that succeed leave their slots after 15 seconds`() async throws {
        let instant = ManualInstant()
        let receiver = TinyServer { _ in
            instant.advance(.seconds(10))
            return .response(200)
        }
        let service = try await service()
        let sender = WebhookSender(
            live: service.live, store: service.store,
            post: HTTPWebhookPost(permitting: [Self.loopback].compactMap(AddressRange.init)),
            cryptography: service.cryptography, work: service.composition.pools.webhooks, clock: service.clock,
            instant: { instant.now })
        let events = try #require(WebhookEvents(["package.*"]))
        for number in 0...WebhookSender.width {
            _ = try await make("\(receiver.base)/\(number)", in: service, events: events)
        }
        for number in 1...5 { try await note("\(number)", in: service) }
        service.clock.advance(milliseconds: 1)
        await sender.pass { _ in }
        #expect(receiver.requests.count < 3 * WebhookSender.width)
        #expect(receiver.requests(to: "/\(WebhookSender.width)").isEmpty)
        await sender.pass { _ in }
        #expect(!receiver.requests(to: "/\(WebhookSender.width)").isEmpty)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect to a loopback address is not followed`(status: Int) async throws {
        let inner = TinyServer { _ in .response(200) }
        let receiver = TinyServer { _ in .response(status, ["Location": inner.base + "/admin"]) }
        let service = try await service()
        let webhook = try await make(receiver.base, in: service)
        try await note("1", in: service)
        await pass(service)
        #expect(receiver.requests.count == 1 && inner.connections == 0)
        let attempt = try #require(try await service.webhooks.deliveries(of: webhook).first)
        #expect(attempt.outcome.status == status && attempt.outcome.reason.contains("redirects are not followed"))
        #expect(try await current(webhook, in: service).progress.failures == 1)
    }

    @Test func `a receiver that responds 500 for an hour gets every entry, in order, within 15 minutes after it`()
        async throws
    {
        let clock = ManualClock()
        let end = clock.now().adding(milliseconds: 3_600_000)
        let receiver = TinyServer { _ in .response(clock.now() < end ? 500 : 200) }
        let post = HTTPWebhookPost(permitting: [Self.loopback].compactMap(AddressRange.init))
        let service = try await TestService(clock: clock, webhookPost: post)
        let webhook = try await make(receiver.base, in: service)
        for number in 1...3 { try await note("\(number)", in: service) }
        var passes = 0
        while clock.now() < end.adding(milliseconds: WebhookProgress.longestDelay), passes < 100 {
            await pass(service)
            passes += 1
            guard case let progress = try await current(webhook, in: service).progress, progress.failures > 0 else {
                break
            }
            clock.set(to: progress.nextAt)
        }
        #expect(clock.now() >= end)
        #expect(clock.now() <= end.adding(milliseconds: WebhookProgress.longestDelay))
        let subjects = receiver.requests.map(subject)
        #expect(subjects.suffix(3) == ["1", "2", "3"] && Set(subjects.dropLast(2)) == ["1"])
        #expect((10...15).contains(subjects.count))
        #expect(Set(receiver.requests.dropLast(2).map { $0.fields["webhook-id"] }).count == 1)
        // Each attempt is signed anew, with its own time.
        let times = receiver.requests.dropLast(2).map { $0.fields["webhook-timestamp"] }
        #expect(Set(times).count == times.count)
        #expect(try await current(webhook, in: service).pause == nil)
    }

    @Test func `after a day of failures a webhook is paused, and resumed it continues with the entry that failed`()
        async throws
    {
        let isBroken = Atomic(true)
        let receiver = TinyServer { _ in .response(isBroken.load(ordering: .relaxed) ? 500 : 200) }
        let service = try await service()
        let webhook = try await make(receiver.base, in: service)
        let start = service.clock.now()
        try await note("1", in: service)
        let paused = Counter()
        for _ in 1...200 where try await current(webhook, in: service).pause == nil {
            await service.webhookSender.pass { event in
                if case .paused(webhook.id, of: .default, _) = event { paused.increment() }
            }
            service.clock.set(to: try await current(webhook, in: service).progress.nextAt)
        }
        let pause = try #require(try await current(webhook, in: service).pause)
        let day = start.adding(milliseconds: WebhookProgress.patience)
        #expect(pause.time >= day && pause.time <= day.adding(milliseconds: WebhookProgress.longestDelay))
        #expect(paused.value == 1)
        #expect(pause.reason.contains("attempts since \(start.rfc3339) failed"))
        let entry = try #require(try await service.store.audit(before: nil, limit: 1).first).entry
        // Publishers read the audit log.
        #expect(entry.json(1)["details"] == .object(["code": "failing", "outcome": "rejected", "status": 500]))
        #expect(JSON.object(entry.details)["after"] == .object(["paused": true]))
        #expect(entry.action == "webhook.pause" && entry.actor == "server" && entry.subject == "#\(webhook.id)")
        let count = receiver.requests.count
        await pass(service)
        #expect(receiver.requests.count == count)
        isBroken.store(false, ordering: .relaxed)
        _ = try await service.webhooks.resume(webhook.id, isSkipping: false, of: service.app, by: .server)
        await pass(service)
        let subjects = receiver.requests.dropFirst(count).map(subject)
        #expect(subjects == ["1", "#\(webhook.id)", "#\(webhook.id)"])
    }

    @Test func `the error of a robot in a response with status 200 is a failure`() async throws {
        let receiver = TinyServer { _ in .response(200, [:], Array(#"{"code":19021,"msg":"sign match fail"}"#.utf8)) }
        let service = try await service()
        let webhook = try await make(receiver.base, in: service, .feishu, secret: "demo")
        try await note("1", in: service)
        await pass(service)
        let attempt = try #require(try await service.webhooks.deliveries(of: webhook).first)
        #expect(attempt.outcome.kind == .rejected && attempt.outcome.reason.contains("sign match fail"))
        #expect(try await current(webhook, in: service).progress.failures == 1)
    }

    // MARK: Addresses

    @Test(arguments: ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0"])
    func `no connection is opened to an address that is not public`(host: String) async throws {
        let receiver = TinyServer { _ in .response(200) }
        let service = try await service(permitting: [])
        // A literal address is refused when the webhook is made; the other spellings only when they are resolved.
        let url = "http://\(host):\(receiver.port)/"
        let webhook: Webhook
        do {
            webhook = try await make(url, in: service)
        } catch let error as PlatformError {
            #expect(error.code == .invalidRequest && PeerAddress(host.filter { !"[]".contains($0) }) != nil)
            return
        }
        try await note("1", in: service)
        await pass(service)
        #expect(receiver.connections == 0)
        let attempt = try #require(try await service.webhooks.deliveries(of: webhook).first)
        #expect(attempt.outcome.kind == .forbidden, "\(attempt.outcome.reason)")
        #expect(service.webhookSender.counts == [.forbidden: 1])
    }

    @Test func `a name is reached by its permitted addresses only`() async throws {
        let receiver = TinyServer { _ in .response(200) }
        let service = try await service(permitting: ["127.0.0.1"])
        _ = try await make("http://localhost:\(receiver.port)/", in: service)
        try await note("1", in: service)
        await pass(service)
        #expect(receiver.requests.count == 1)
    }

    @Test func `a permitted address with a closed port is unreachable, also beside one that is not permitted`()
        async throws
    {
        let receiver = TinyServer { _ in .response(200) }
        receiver.stop()
        let service = try await service(permitting: ["127.0.0.1"])
        let webhook = try await make("http://localhost:\(receiver.port)/", in: service)
        let delivery = try await service.webhooks.test(webhook.id, of: service.app, by: .server)
        #expect(delivery.outcome.kind == .unreachable, "\(delivery.outcome.reason)")
    }

    // MARK: Test calls

    @Test func `a test call reaches a paused receiver and leaves the order of entries alone`() async throws {
        let receiver = TinyServer { _ in .response(200) }
        let service = try await service()
        let webhook = try await make(receiver.base, in: service)
        _ = try await service.webhooks.pause(webhook.id, of: service.app, by: .server)
        let before = try await current(webhook, in: service)
        let delivery = try await service.webhooks.test(webhook.id, of: service.app, by: .server)
        #expect(delivery.outcome.kind == .delivered && delivery.entry == nil && delivery.event == "webhook.test")
        #expect(JSON(parsing: receiver.requests.first?.body ?? [])?["type"] == "webhook.test")
        #expect(try await current(webhook, in: service) == before)
        #expect(try await service.webhooks.deliveries(of: webhook).map(\.event) == ["webhook.test"])
    }

    @Test func `four test calls run at a time, and a further one is busy`() async throws {
        let receiver = TinyServer { _ in .silence }
        let service = try await service(timeLimit: .seconds(600))
        let webhook = try await make(receiver.base, in: service)
        let calls = (1...WebhookSender.testWidth).map { _ in
            Task { try await service.webhooks.test(webhook.id, of: service.app, by: .server) }
        }
        while receiver.requests.count < WebhookSender.testWidth { try await Task.sleep(for: .milliseconds(5)) }
        let error = await #expect(throws: PlatformError.self) {
            try await service.webhooks.test(webhook.id, of: service.app, by: .server)
        }
        #expect(error?.code == .busy)
        for call in calls {
            call.cancel()
            _ = try? await call.value
        }
    }
}
