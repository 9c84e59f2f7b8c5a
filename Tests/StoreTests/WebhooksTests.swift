import Domain
import Ground
import Store
import TestKit
import Testing

@Suite(.scratchMemory, .databases)
struct WebhooksTests {
    private let start = Fixture.start
    private let endpoint = WebhookEndpoint(url: "https://hooks.example/a", secret: WebhookSecret("whsec_AAAA"))

    private func add(_ store: SQLStore, _ kind: WebhookKind = .standard) async throws -> Webhook {
        try await store.addWebhook(kind, endpoint, .all, of: Fixture.app, at: start) { id in
            AuditEntry(time: start, actor: "me", action: "webhook.make", app: Fixture.app, subject: "#\(id)")
        }
    }

    private func newest(_ store: SQLStore) async throws -> Int64 {
        try #require(try await store.audit(before: nil, limit: 1).first).id
    }

    private func delivery(_ entry: Int64?) -> WebhookDelivery {
        WebhookDelivery(
            entry: entry, event: "release.make", time: start, duration: 12,
            outcome: WebhookOutcome(.rejected, status: 500, reason: "why"))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a webhook is stored with its endpoint, and begins after the entry of its creation`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        let webhook = try await add(store)
        #expect(webhook.endpoint == endpoint && webhook.kind == .standard && webhook.createdAt == start)
        #expect(try await webhook.progress.deliveredThrough == newest(store))
        #expect(try await store.audit(before: nil, limit: 1).first?.entry.subject == "#\(webhook.id)")
        #expect(try await store.webhooks(of: Fixture.app) == [webhook])
        #expect(try await store.webhook(webhook.id, of: Fixture.app) == webhook)
        let other = try #require(AppID("other"))
        #expect(try await store.webhook(webhook.id, of: other) == nil)
        #expect(try await store.dueWebhooks(at: start, limit: 9) == [])
        await #expect(throws: PlatformError.self) {
            _ = try await store.addWebhook(.slack, endpoint, .all, of: other, at: start) { _ in
                Fixture.audit("webhook.make", app: other)
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func `webhooks are due that are active, have entries, and whose time has come`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        let (first, second) = (try await add(store), try await add(store))
        #expect(try await store.dueWebhooks(at: start, limit: 9).map(\.id) == [first.id])
        try await store.recordAudit(Fixture.audit("package.put"))
        try await store.recordAudit(Fixture.audit("package.put", app: nil))
        #expect(try await store.dueWebhooks(at: start, limit: 9).map(\.id) == [first.id, second.id])
        #expect(try await store.dueWebhooks(at: start, limit: 1).map(\.id) == [first.id])
        var failing = first
        failing.progress = first.progress.failed(WebhookOutcome(.unreachable), at: start).0
        #expect(try await record(failing, nil, from: first, in: store))
        #expect(try await store.dueWebhooks(at: start, limit: 9).map(\.id) == [second.id])
        #expect(try await store.dueWebhooks(at: failing.progress.nextAt, limit: 9).map(\.id) == [second.id, first.id])
        // The clock was set back, by less and by more than any delay.
        let back = start.adding(milliseconds: -WebhookProgress.longestRetryAfter / 2)
        #expect(try await store.dueWebhooks(at: back, limit: 9).map(\.id) == [second.id])
        let before = start.adding(milliseconds: -WebhookProgress.longestRetryAfter - 1)
        #expect(try await store.dueWebhooks(at: before, limit: 9).map(\.id) == [second.id, first.id])
        var paused = second
        paused.pause = Webhook.Pause(time: start, reason: "why")
        _ = try await store.changeWebhook(paused, isSkipping: false, audit: Fixture.audit("webhook.pause"))
        #expect(try await store.dueWebhooks(at: failing.progress.nextAt, limit: 9).map(\.id) == [first.id])
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a change replaces settings, ends a failure, and makes progress from before it void`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        let webhook = try await add(store)
        var failing = webhook
        failing.progress = webhook.progress.failed(WebhookOutcome(.unreachable), at: start).0
        #expect(try await record(failing, delivery(1), from: webhook, in: store))
        var change = failing
        change.endpoint?.url = "https://other.example/"
        change.events = WebhookEvents(stored: ["release.*"])
        let later = start.adding(milliseconds: 5)
        let changed = try await store.changeWebhook(
            change, isSkipping: false, audit: Fixture.audit("webhook.change", at: later))
        #expect(changed?.endpoint == change.endpoint && changed?.events == change.events && changed?.revision == 2)
        let begun = WebhookProgress(deliveredThrough: webhook.progress.deliveredThrough, nextAt: later)
        #expect(changed?.progress == begun)
        failing.progress.deliveredThrough += 1
        let pause = Fixture.audit("webhook.pause")
        #expect(try await !record(failing, delivery(2), from: webhook, audit: pause, in: store))
        #expect(try await store.webhook(webhook.id, of: Fixture.app) == changed)
        #expect(try await store.deliveries(of: webhook.id).map(\.entry) == [2, 1])
        #expect(try await store.audit(before: nil, limit: 1).first?.entry.action == "webhook.change")
        // A change of what was read before another change is refused.
        #expect(try await store.changeWebhook(change, isSkipping: false, audit: pause) == nil)
        let skipped = try await store.changeWebhook(
            try #require(changed), isSkipping: true, audit: Fixture.audit("webhook.resume"))
        #expect(try await skipped?.progress.deliveredThrough == newest(store))
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a message that was delivered during a change counts as received`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let webhook = try await add(store)
        try await store.recordAudit(Fixture.audit("package.put"))
        let entry = try await newest(store)
        let changed = try await store.changeWebhook(
            webhook, isSkipping: false, audit: Fixture.audit("webhook.change"))
        var delivered = webhook
        delivered.progress = webhook.progress.delivered(entry, at: start)
        let delivery = WebhookDelivery(
            entry: entry, event: "package.put", time: start, duration: 1, outcome: WebhookOutcome(.delivered))
        #expect(try await !record(delivered, delivery, from: webhook, in: store))
        let stored = try #require(try await store.webhook(webhook.id, of: Fixture.app))
        #expect(stored.progress.deliveredThrough == entry && stored.revision == changed?.revision)
        // Progress never goes back.
        let old = WebhookDelivery(
            entry: entry - 1, event: "package.put", time: start, duration: 1, outcome: WebhookOutcome(.delivered))
        #expect(try await !record(stored, old, from: webhook, in: store))
        #expect(try await store.webhook(webhook.id, of: Fixture.app)?.progress.deliveredThrough == entry)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a webhook that cannot be decrypted is listed and due, can be paused, and can be removed`(
        on database: DatabaseKind
    ) async throws {
        let location = try database.location().shared
        let store = try SQLStore(opening: location)
        _ = try await store.createApp(Fixture.app, keys: [], audit: Fixture.audit("app.create"))
        let (first, second) = (try await add(store), try await add(store))
        try await store.recordAudit(Fixture.audit("package.put"))
        try Database(location).execute("UPDATE webhooks SET sealed = 1 WHERE id = \(first.id.value)")
        let listed = try await store.webhooks(of: Fixture.app)
        #expect(listed.map(\.id) == [first.id, second.id] && listed.map(\.endpoint) == [nil, endpoint])
        #expect(try await store.dueWebhooks(at: start, limit: 9).map(\.id) == [first.id, second.id])
        var paused = listed[0]
        paused.pause = Webhook.Pause(time: start, reason: "why")
        #expect(
            try await store.changeWebhook(paused, isSkipping: false, audit: Fixture.audit("webhook.pause"))?.pause
                != nil)
        // The stored bytes are still those of the endpoint.
        try Database(location).execute("UPDATE webhooks SET sealed = 0 WHERE id = \(first.id.value)")
        #expect(try await store.webhook(first.id, of: Fixture.app)?.endpoint == endpoint)
        try Database(location).execute("UPDATE webhooks SET sealed = 1 WHERE id = \(first.id.value)")
        let audit = Fixture.audit("webhook.delete")
        #expect(try await store.removeWebhook(first.id, of: Fixture.app, audit: audit)?.id == first.id)
        #expect(try await store.webhooks(of: Fixture.app).map(\.id) == [second.id])
    }

    /// Records progress as of a webhook that was read before.
    private func record(
        _ webhook: Webhook, _ delivery: WebhookDelivery?, from read: Webhook, audit: AuditEntry? = nil,
        in store: SQLStore
    ) async throws -> Bool {
        try await store.recordProgress(webhook, after: read.progress.deliveredThrough, delivery, audit: audit)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a pause after failures is stored with its entry and makes a new revision`(
        on database: DatabaseKind
    ) async throws {
        let store = try await database.withNews()
        var webhook = try await add(store)
        webhook.pause = Webhook.Pause(time: start, reason: "why")
        #expect(try await record(webhook, nil, from: webhook, audit: Fixture.audit("webhook.pause"), in: store))
        let stored = try await store.webhook(webhook.id, of: Fixture.app)
        #expect(stored?.pause == webhook.pause && stored?.revision == 2)
        #expect(try await store.audit(before: nil, limit: 1).first?.entry.action == "webhook.pause")
    }

    @Test(arguments: DatabaseKind.allCases)
    func `a result that was committed with an unknown outcome is stored once`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let read = try await add(store)
        var failing = read
        failing.progress = read.progress.failed(WebhookOutcome(.unreachable), at: start).0
        for _ in 1...2 { #expect(try await record(failing, delivery(1), from: read, in: store)) }
        #expect(try await store.deliveries(of: read.id).map(\.entry) == [1])
        var paused = failing
        paused.progress = failing.progress.failed(WebhookOutcome(.unreachable), at: start).0
        paused.pause = Webhook.Pause(time: start, reason: "why")
        let pause = Fixture.audit("webhook.pause")
        for _ in 1...2 { #expect(try await record(paused, delivery(2), from: failing, audit: pause, in: store)) }
        #expect(try await store.deliveries(of: read.id).map(\.entry) == [2, 1])
        let stored = try #require(try await store.webhook(read.id, of: Fixture.app))
        #expect(stored.revision == 2 && stored.progress == paused.progress && stored.pause == paused.pause)
        // An operator resumes the webhook before the repetition.
        var resumed = stored
        resumed.pause = nil
        _ = try await store.changeWebhook(resumed, isSkipping: false, audit: Fixture.audit("webhook.resume"))
        try await store.recordTest(delivery(nil), of: read.id)
        #expect(try await !record(paused, delivery(2), from: failing, audit: pause, in: store))
        #expect(try await store.deliveries(of: read.id).map(\.entry) == [nil, 2, 1])
        #expect(try await store.webhook(read.id, of: Fixture.app)?.pause == nil)
        #expect(try await store.audit(before: nil, limit: 9).count { $0.entry.action == "webhook.pause" } == 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `the newest deliveries are kept, and go with their webhook`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        let webhook = try await add(store)
        for number in 1...Int64(Webhook.keptDeliveries) { try await store.recordTest(delivery(number), of: webhook.id) }
        #expect(try await store.deliveries(of: webhook.id).last?.number == 1)
        try await store.recordTest(delivery(nil), of: webhook.id)
        let kept = try await store.deliveries(of: webhook.id)
        #expect(kept.count == Webhook.keptDeliveries && kept.last?.number == 2)
        #expect(kept.first?.entry == nil && kept.first?.outcome == delivery(nil).outcome && kept.first?.duration == 12)
        let audit = Fixture.audit("webhook.delete")
        #expect(try await store.removeWebhook(webhook.id, of: Fixture.app, audit: audit)?.id == webhook.id)
        #expect(try await store.removeWebhook(webhook.id, of: Fixture.app, audit: audit) == nil)
        try await store.recordTest(delivery(nil), of: webhook.id)
        #expect(try await store.deliveries(of: webhook.id) == [])
        #expect(try await store.changeWebhook(webhook, isSkipping: false, audit: audit) == nil)
        #expect(try await add(store).id.value == webhook.id.value + 1)
    }

    @Test(arguments: DatabaseKind.allCases)
    func `an app has at most 20 webhooks`(on database: DatabaseKind) async throws {
        let store = try await database.withNews()
        for _ in 1...Webhook.maximumPerApp { _ = try await add(store) }
        #expect(try await code { _ = try await add(store) } == .conflict)
    }
}
