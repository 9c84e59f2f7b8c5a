package import Domain
package import Ground

extension SQLStore {
    package func webhooks(of app: AppID) throws(PlatformError) -> [Webhook] {
        try transaction { try $0.webhooks("WHERE app = \(app) ORDER BY id", by: sealer) }
    }

    package func webhook(_ id: WebhookID, of app: AppID) throws(PlatformError) -> Webhook? {
        try transaction { try $0.webhooks("WHERE id = \(id) AND app = \(app)", by: sealer).first }
    }

    package func addWebhook(
        _ kind: WebhookKind, _ endpoint: WebhookEndpoint, _ events: WebhookEvents, of app: AppID,
        at now: Timestamp, audit: @Sendable (WebhookID) -> AuditEntry
    ) throws(PlatformError) -> Webhook {
        try transaction { database in
            try database.requireApp(app)
            let count: Int = try database.value("SELECT count(*) FROM webhooks WHERE app = \(app)") ?? 0
            guard count < Webhook.maximumPerApp else {
                throw PlatformError(
                    .conflict, "The app '\(app)' has \(count) webhooks, which is the limit. Delete one first.")
            }
            let kept = try KeptEndpoint(endpoint, of: app, kind: kind, createdAt: now, by: sealer)
            let id = WebhookID(
                try database.inserted(
                    """
                    INSERT INTO webhooks (
                        app, kind, endpoint, sealed, events, created_at, revision, through, attempts, next_at, deliveries
                    ) VALUES (
                        \(app), \(kind), \(kept.bytes), \(kept.isSealed), \(events.json), \(now), 1, 0, 0, \(now), 0
                    ) RETURNING id
                    """))
            try database.append(audit(id))
            try database.skipEntries(for: id, of: app)
            return try database.requireWebhook(id, by: sealer)
        }
    }

    package func changeWebhook(
        _ webhook: Webhook, isSkipping: Bool, audit: AuditEntry
    ) throws(PlatformError) -> Webhook? {
        try transaction { database in
            let changed = try database.execute(
                """
                UPDATE webhooks SET
                    events = \(webhook.events.json), paused_at = \(webhook.pause?.time), paused_because = \(webhook.pause?.reason),
                    revision = revision + 1, attempts = 0, failing_since = NULL, next_at = \(audit.time)
                WHERE id = \(webhook.id) AND app = \(webhook.app) AND revision = \(webhook.revision)
                """)
            guard changed == 1 else { return nil }
            if let endpoint = webhook.endpoint {
                let kept = try KeptEndpoint(
                    endpoint, of: webhook.app, kind: webhook.kind, createdAt: webhook.createdAt, by: sealer)
                try database.execute(
                    """
                    UPDATE webhooks SET endpoint = \(kept.bytes), sealed = \(kept.isSealed) WHERE id = \(webhook.id)
                    """)
            }
            try database.append(audit)
            if isSkipping { try database.skipEntries(for: webhook.id, of: webhook.app) }
            return try database.requireWebhook(webhook.id, by: sealer)
        }
    }

    package func removeWebhook(_ id: WebhookID, of app: AppID, audit: AuditEntry) throws(PlatformError) -> Webhook? {
        try transaction { database in
            let removed = try database.webhooks("WHERE id = \(id) AND app = \(app)", by: sealer).first
            guard let removed else { return nil }
            try database.execute("DELETE FROM webhook_deliveries WHERE webhook = \(id)")
            try database.execute("DELETE FROM webhooks WHERE id = \(id)")
            try database.append(audit)
            return removed
        }
    }

    package func dueWebhooks(at now: Timestamp, limit: Int) throws(PlatformError) -> [Webhook] {
        // After the clock was set back, a time may be further ahead than any delay. Without a failure there is no delay.
        let horizon = now.adding(milliseconds: WebhookProgress.longestRetryAfter)
        return try transaction { database in
            try database.webhooks(
                """
                WHERE paused_at IS NULL AND (attempts = 0 OR next_at <= \(now) OR next_at > \(horizon))
                    AND through < (SELECT max(id) FROM audit WHERE audit.app = webhooks.app)
                ORDER BY next_at, id LIMIT \(max(0, limit))
                """, by: sealer)
        }
    }

    package func recordProgress(
        _ webhook: Webhook, after through: Int64, _ delivery: WebhookDelivery?, audit: AuditEntry?
    ) throws(PlatformError) -> Bool {
        try transaction { database in
            if try database.has(webhook), try delivery.map({ try database.has($0, of: webhook.id) }) ?? true {
                return true
            }
            let progress = webhook.progress
            let changed = try database.execute(
                """
                UPDATE webhooks SET
                    through = \(progress.deliveredThrough), attempts = \(progress.failures),
                    failing_since = \(progress.failingSince), next_at = \(progress.nextAt),
                    paused_at = \(webhook.pause?.time), paused_because = \(webhook.pause?.reason),
                    revision = revision + \(webhook.pause == nil ? 0 : 1)
                WHERE id = \(webhook.id) AND revision = \(webhook.revision) AND through = \(through)
                """)
            guard changed == 1 else {
                if let delivery, try !database.has(delivery, of: webhook.id) {
                    try database.insert(delivery, of: webhook.id)
                }
                // Otherwise a change meanwhile would send a delivered message again.
                if let delivery, delivery.outcome.kind == .delivered, let entry = delivery.entry {
                    try database.execute(
                        "UPDATE webhooks SET through = \(entry) WHERE id = \(webhook.id) AND through < \(entry)")
                }
                return false
            }
            if let delivery { try database.insert(delivery, of: webhook.id) }
            if let audit { try database.append(audit) }
            return true
        }
    }

    package func recordTest(_ delivery: WebhookDelivery, of webhook: WebhookID) throws(PlatformError) {
        try transaction { try $0.insert(delivery, of: webhook) }
    }

    package func deliveries(of webhook: WebhookID) throws(PlatformError) -> [WebhookDelivery] {
        try transaction { database in
            try database.rows(
                """
                SELECT number, entry, event, time, milliseconds, outcome, status, reason FROM webhook_deliveries
                WHERE webhook = \(webhook) ORDER BY number DESC
                """
            ) { row in
                let outcome = try WebhookOutcome(row[5], status: row[6], reason: row[7])
                return WebhookDelivery(
                    number: try row[0], entry: try row[1], event: try row[2], time: try row[3], duration: try row[4],
                    outcome: outcome)
            }
        }
    }
}

extension Database {
    fileprivate func webhooks(_ condition: SQL, by sealer: (any KeySealer)?) throws -> [Webhook] {
        try rows(
            """
            SELECT id, app, kind, created_at, endpoint, sealed, events, paused_at, paused_because, revision, through,
                attempts, failing_since, next_at
            FROM webhooks \(condition)
            """
        ) { row in
            let kept = try KeptEndpoint(app: row[1], kind: row[2], createdAt: row[3], bytes: row[4], isSealed: row[5])
            let patterns: JSON = try row[6]
            let pausedAt: Timestamp? = try row[7]
            let reason: String? = try row[8]
            return Webhook(
                id: try row[0], app: kept.app, kind: kept.kind, endpoint: try? kept.opened(by: sealer),
                events: WebhookEvents(stored: (patterns.elements ?? []).compactMap(\.string)),
                createdAt: kept.createdAt, pause: pausedAt.map { Webhook.Pause(time: $0, reason: reason ?? "") },
                revision: try row[9],
                progress: WebhookProgress(
                    deliveredThrough: try row[10], failures: try row[11], failingSince: try row[12],
                    nextAt: try row[13]))
        }
    }

    /// Whether a webhook has its new progress and pause already, by a commit whose outcome was unknown.
    fileprivate func has(_ webhook: Webhook) throws -> Bool {
        guard let stored = try webhooks("WHERE id = \(webhook.id)", by: nil).first else { return false }
        return stored.revision == webhook.revision + (webhook.pause == nil ? 0 : 1)
            && stored.progress == webhook.progress && stored.pause == webhook.pause
    }

    /// Whether an attempt is listed already, by a commit whose outcome was unknown.
    fileprivate func has(_ delivery: WebhookDelivery, of webhook: WebhookID) throws -> Bool {
        let known: Int64? = try value(
            """
            SELECT number FROM webhook_deliveries
            WHERE webhook = \(webhook) AND entry = \(delivery.entry) AND time = \(delivery.time)
                AND milliseconds = \(delivery.duration)
            LIMIT 1
            """)
        return known != nil
    }

    fileprivate func requireWebhook(_ id: WebhookID, by sealer: (any KeySealer)?) throws -> Webhook {
        guard let webhook = try webhooks("WHERE id = \(id)", by: sealer).first else {
            throw DatabaseError.unmet("no webhook was written", statement: "SELECT FROM webhooks")
        }
        return webhook
    }

    /// Lets a webhook receive only later entries of the audit log.
    fileprivate func skipEntries(for id: WebhookID, of app: AppID) throws {
        try execute(
            """
            UPDATE webhooks SET through = (SELECT coalesce(max(id), 0) FROM audit WHERE audit.app = \(app))
            WHERE id = \(id)
            """)
    }

    /// Appends a delivery and removes the oldest ones beyond the limit; does nothing if the webhook was removed.
    fileprivate func insert(_ delivery: WebhookDelivery, of webhook: WebhookID) throws {
        let number: Int64? = try value(
            "UPDATE webhooks SET deliveries = deliveries + 1 WHERE id = \(webhook) RETURNING deliveries")
        guard let number else { return }
        try execute(
            """
            INSERT INTO webhook_deliveries (
                webhook, number, entry, event, time, milliseconds, outcome, status, reason
            ) VALUES (
                \(webhook), \(number), \(delivery.entry), \(delivery.event), \(delivery.time), \(delivery.duration),
                \(delivery.outcome.kind), \(delivery.outcome.status), \(delivery.outcome.reason)
            )
            """)
        try execute(
            """
            DELETE FROM webhook_deliveries
            WHERE webhook = \(webhook) AND number <= \(number - Int64(Webhook.keptDeliveries))
            """)
    }
}

extension WebhookEvents {
    fileprivate var json: JSON { .array(patterns.map { .string($0) }) }
}
