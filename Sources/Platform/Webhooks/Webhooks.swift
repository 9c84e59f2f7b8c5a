package import Domain
import Ground

/// The use cases of webhooks, all of which require an admin.
package struct Webhooks: Sendable {
    private let live: LiveApps
    private let store: any WebhookStore
    private let sender: WebhookSender
    private let post: any WebhookPost
    private let cryptography: any Cryptography
    private let clock: any WallClock
    /// The attempts at a change while the webhook is changed by others.
    private static let changeAttempts = 5

    /// The parts of a webhook that a request changes; `nil` keeps the present value.
    package struct Change: Sendable {
        package var url: String?
        package var events: WebhookEvents?
        package var secret: String?

        package init(url: String? = nil, events: WebhookEvents? = nil, secret: String? = nil) {
            self.url = url
            self.events = events
            self.secret = secret
        }
    }

    package init(
        live: LiveApps, store: any WebhookStore, sender: WebhookSender, post: any WebhookPost,
        cryptography: any Cryptography, clock: any WallClock
    ) {
        self.live = live
        self.store = store
        self.sender = sender
        self.post = post
        self.cryptography = cryptography
        self.clock = clock
    }

    package func webhooks(of app: LiveApp) async throws(PlatformError) -> [Webhook] {
        try await store.webhooks(of: app.id)
    }

    /// Returns a webhook; throws `webhookNotFound`.
    package func requireWebhook(_ id: WebhookID, of app: LiveApp) async throws(PlatformError) -> Webhook {
        guard let webhook = try await store.webhook(id, of: app.id) else { throw Self.missing(id, app.id) }
        return webhook
    }

    /// Returns the newest attempts of a webhook, newest first.
    package func deliveries(of webhook: Webhook) async throws(PlatformError) -> [WebhookDelivery] {
        try await store.deliveries(of: webhook.id)
    }

    /// Creates a webhook that receives the entries from now on.
    ///
    /// Throws `invalidRequest` for an unusable URL or secret, and `conflict` if there are too many webhooks.
    package func make(
        _ kind: WebhookKind, url: String, events: WebhookEvents, secret: String?, of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> Webhook {
        try requireUsable(url)
        let given = try Self.secret(secret, for: kind)
        let endpoint = WebhookEndpoint(
            url: url, secret: kind == .standard ? WebhookSecret(by: cryptography) : given)
        return try await live.alone(with: app) { () throws(PlatformError) in
            let now = clock.now()
            let details = [JSON.Member("kind", .string(kind.rawValue))] + Self.details(endpoint, events)
            return try await store.addWebhook(kind, endpoint, events, of: app.id, at: now) { id in
                author.audit(.makeWebhook, "#\(id)", in: app.id, at: now, details, change: .created(details))
            }
        }
    }

    /// Changes a webhook, whose next attempt is due at once.
    package func change(
        _ id: WebhookID, _ change: Change, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil,
        by author: Operator
    ) async throws(PlatformError) -> Webhook {
        if let url = change.url { try requireUsable(url) }
        return try await update(id, of: app, ifMatch: precondition, .changeWebhook, by: author) {
            (webhook, _) throws(PlatformError) in
            var endpoint = try Self.readable(webhook)
            if let url = change.url { endpoint.url = url }
            if let events = change.events { webhook.events = events }
            if let secret = try Self.secret(change.secret, for: webhook.kind) { endpoint.secret = secret }
            webhook.endpoint = endpoint
            let secret = change.secret.map { _ in JSON.Member("secret", "changed") }
            return Self.details(endpoint, webhook.events) + (secret.map { [$0] } ?? [])
        }
    }

    /// Generates a secret; the previous ones sign as well for some hours.
    ///
    /// Throws `conflict` for a webhook of a robot, whose platform gives the secret.
    package func rotateSecret(
        of id: WebhookID, overlapHours: Int64, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil,
        by author: Operator
    ) async throws(PlatformError) -> Webhook {
        try await update(id, of: app, ifMatch: precondition, .rotateWebhookSecret, by: author) {
            (webhook, now) throws(PlatformError) in
            guard webhook.kind == .standard else {
                throw PlatformError(
                    .conflict,
                    "Webhook \(id) has the kind '\(webhook.kind.rawValue)', whose secret cannot be generated here. "
                        + "If its platform gave a new one, change the member 'secret' of the webhook.")
            }
            let end = now.adding(milliseconds: overlapHours * 3_600_000)
            var endpoint = try Self.readable(webhook)
            endpoint.rotate(to: WebhookSecret(by: cryptography), keepingUntil: end, at: now)
            webhook.endpoint = endpoint
            return [.init("previousUntil", .string(end.rfc3339))]
        }
    }

    /// Stops the deliveries until ``resume(_:isSkipping:of:by:)``; later entries wait.
    package func pause(
        _ id: WebhookID, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> Webhook {
        try await update(id, of: app, ifMatch: precondition, .pauseWebhook, by: author) {
            (webhook, now) throws(PlatformError) in
            webhook.pause = Webhook.Pause(time: now, reason: Webhook.Pause.byOperator)
            return [.init("code", "operator")]
        }
    }

    /// Continues the deliveries with the entry that failed, or with the next one that is written.
    package func resume(
        _ id: WebhookID, isSkipping: Bool, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil,
        by author: Operator
    ) async throws(PlatformError) -> Webhook {
        try await update(id, of: app, ifMatch: precondition, .resumeWebhook, by: author, isSkipping: isSkipping) {
            (webhook, _) throws(PlatformError) in
            webhook.pause = nil
            return [.init("skip", .bool(isSkipping))]
        }
    }

    /// Deletes a webhook and returns it; throws `webhookNotFound` and `preconditionFailed`.
    package func remove(
        _ id: WebhookID, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> Webhook {
        try await live.alone(with: app) { () throws(PlatformError) in
            let known = try await store.webhook(id, of: app.id)
            try precondition?.require(known?.tag, of: "Webhook \(id)", called: "revision")
            guard let known else { throw Self.missing(id, app.id) }
            let audit = author.audit(
                .deleteWebhook, "#\(id)", in: app.id, at: clock.now(), change: .removed(known.auditMembers))
            guard let removed = try await store.removeWebhook(id, of: app.id, audit: audit) else {
                throw Self.missing(id, app.id)
            }
            return removed
        }
    }

    /// Sends a test message, also while the webhook is paused, and returns the attempt.
    package func test(
        _ id: WebhookID, of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> WebhookDelivery {
        try await sender.test(try await requireWebhook(id, of: app), by: author)
    }

    /// Changes a webhook by `body`, which returns the details of the audit entry.
    private func update(
        _ id: WebhookID, of app: LiveApp, ifMatch precondition: IfMatchPrecondition?, _ action: AuditAction,
        by author: Operator, isSkipping: Bool = false,
        _ body: (inout Webhook, Timestamp) throws(PlatformError) -> [JSON.Member]
    ) async throws(PlatformError) -> Webhook {
        defer { sender.wake() }
        return try await live.alone(with: app) { () throws(PlatformError) in
            for _ in 1...Self.changeAttempts {
                let now = clock.now()
                let known = try await store.webhook(id, of: app.id)
                try precondition?.require(known?.tag, of: "Webhook \(id)", called: "revision")
                guard let known else { throw Self.missing(id, app.id) }
                var webhook = known
                webhook.endpoint?.removeEndedSecrets(at: now)
                let details = try body(&webhook, now)
                let audit = author.audit(
                    action, "#\(id)", in: app.id, at: now, details,
                    change: .changed(from: known.auditMembers, to: webhook.auditMembers))
                if let changed = try await store.changeWebhook(webhook, isSkipping: isSkipping, audit: audit) {
                    return changed
                }
                // A pause after failures, or a change by another node, must not be overwritten.
            }
            throw PlatformError(.busy, "The webhook \(id) of '\(app.id)' is being changed. Try again.")
        }
    }

    /// Returns the endpoint of a webhook; throws `conflict` if it cannot be decrypted.
    private static func readable(_ webhook: Webhook) throws(PlatformError) -> WebhookEndpoint {
        if let endpoint = webhook.endpoint { return endpoint }
        throw PlatformError(
            .conflict,
            "The stored URL and secrets of webhook \(webhook.id) cannot be decrypted. Delete the webhook and create "
                + "another.")
    }

    private func requireUsable(_ url: String) throws(PlatformError) {
        guard url.utf8.count <= WebhookEndpoint.maximumURLLength else {
            throw PlatformError(
                .invalidRequest, "'url' must have at most \(WebhookEndpoint.maximumURLLength) bytes.")
        }
        try post.requireUsable(url)
    }

    /// Reads the secret that a request gives; throws unless the kind has such a secret.
    private static func secret(_ text: String?, for kind: WebhookKind) throws(PlatformError) -> WebhookSecret? {
        guard let text else { return nil }
        guard kind.hasGivenSecret else {
            throw PlatformError(
                .invalidRequest,
                kind == .standard
                    ? "The server generates the secret of this webhook. Leave 'secret' out; rotate-secret replaces it."
                    : "Webhooks of the kind '\(kind.rawValue)' have no secret. Leave 'secret' out.")
        }
        guard let secret = WebhookSecret(text) else {
            throw PlatformError(
                .invalidRequest,
                "'secret' must be the secret of the robot: 1 to \(WebhookSecret.maximumLength) visible ASCII characters."
            )
        }
        return secret
    }

    /// Returns what the audit log shows: the host, since the URL of a robot is a secret.
    private static func details(_ endpoint: WebhookEndpoint, _ events: WebhookEvents) -> [JSON.Member] {
        [
            .init("host", .string(endpoint.description)),
            .init("events", .array(events.patterns.map { .string($0) })),
        ]
    }

    private static func missing(_ id: WebhookID, _ app: AppID) -> PlatformError {
        PlatformError(
            .webhookNotFound, "The app '\(app)' has no webhook \(id). To see the webhooks:",
            remedy: .listWebhooks(of: app))
    }
}
