import Domain
import Ground
import HTTP
import Platform

/// The routes of webhooks, which require an admin: the URLs of robots are secrets.
struct WebhookRoutes {
    let routes: OperatorRoutes

    private static let pattern = "/apps/{app}/webhooks"

    /// The state of a webhook, as responses show it.
    private enum State: String, CaseIterable {
        case active
        case failing
        case paused
        case unreadable

        init(of webhook: Webhook) {
            self =
                if webhook.endpoint == nil {
                    .unreadable
                } else if webhook.pause != nil {
                    .paused
                } else {
                    webhook.progress.failures > 0 ? .failing : .active
                }
        }
    }

    private static let list = ObjectList<Webhook>(
        sorts: [.init("id") { [.number($0.id.value)] }],
        filters: [.choice("state", State.self) { State(of: $0) }, .choice("kind", WebhookKind.self) { $0.kind }])
    private static let deliveries = ObjectList<WebhookDelivery>(
        sorts: [.init("-number") { [.number($0.number)] }],
        filters: [.choice("outcome", WebhookOutcome.Kind.self) { $0.outcome.kind }])

    func add(to router: inout OperatorRouter) {
        let (routes, webhooks) = (routes, routes.services.webhooks)
        let one = Self.pattern + "/{webhook}"
        routes.add(.get, Self.pattern, .admin, to: &router, parameters: Self.list.parameters) {
            call throws(PlatformError) in
            let all = try await webhooks.webhooks(of: try routes.app(call.parameters))
            return try Self.list.respond("webhooks", all, to: call) { .object(Self.members(of: $0)) }
        }
        routes.add(.post, Self.pattern, .admin, to: &router, idempotency: .keepsOutcome) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            var body = try await call.json()
            let word = try body.string("kind") ?? WebhookKind.standard.rawValue
            guard let kind = WebhookKind(rawValue: word) else {
                throw JSONReader.wrong("kind", "one of " + WebhookKind.allCases.map(\.rawValue).joined(separator: ", "))
            }
            guard let url = try body.string("url") else { throw JSONReader.wrong("url", "the URL of the receiver") }
            let (events, secret) = (try body.events() ?? .all, try body.string("secret"))
            try body.finish()
            let webhook = try await webhooks.make(
                kind, url: url, events: events, secret: secret, of: app, by: call.author)
            return .json(.created, Self.withSecret(webhook, call), tag: webhook.tag)
        }
        routes.add(.get, one, .admin, to: &router) { call throws(PlatformError) in
            Self.respond(try await Self.webhook(call, routes))
        }
        routes.add(.patch, one, .admin, to: &router, idempotency: .keepsOutcome, hasTag: true) {
            call throws(PlatformError) in
            let (app, id) = (try routes.app(call.parameters), try call.parameters.read(.webhook))
            var body = try await call.json()
            let change = Webhooks.Change(
                url: try body.string("url"), events: try body.events(), secret: try body.string("secret"))
            try body.finish()
            return Self.respond(
                try await webhooks.change(id, change, of: app, ifMatch: call.precondition, by: call.author))
        }
        routes.add(.delete, one, .admin, to: &router, hasTag: true) { call throws(PlatformError) in
            let (app, id) = (try routes.app(call.parameters), try call.parameters.read(.webhook))
            let removed = try await webhooks.remove(id, of: app, ifMatch: call.precondition, by: call.author)
            return .json(.ok, .object(Self.members(of: removed)))
        }
        addActions(on: one, to: &router)
    }

    private func addActions(on one: String, to router: inout OperatorRouter) {
        let (routes, webhooks) = (routes, routes.services.webhooks)
        routes.add(.post, one + "/rotate-secret", .admin, to: &router, idempotency: .keepsOutcome, hasTag: true) {
            call throws(PlatformError) in
            let (app, id) = (try routes.app(call.parameters), try call.parameters.read(.webhook))
            var body = try await call.json()
            let hours = try body.integer("overlapHours", in: 0...WebhookEndpoint.longestOverlapHours)
            try body.finish()
            let webhook = try await webhooks.rotateSecret(
                of: id, overlapHours: hours ?? WebhookEndpoint.standardOverlapHours, of: app,
                ifMatch: call.precondition, by: call.author)
            return .json(.ok, Self.withSecret(webhook, call), tag: webhook.tag)
        }
        routes.add(.post, one + "/pause", .admin, to: &router, idempotency: .keepsOutcome, hasTag: true) {
            call throws(PlatformError) in
            let (app, id) = (try routes.app(call.parameters), try call.parameters.read(.webhook))
            try await call.json().finish()
            return Self.respond(try await webhooks.pause(id, of: app, ifMatch: call.precondition, by: call.author))
        }
        routes.add(.post, one + "/resume", .admin, to: &router, idempotency: .keepsOutcome, hasTag: true) {
            call throws(PlatformError) in
            let (app, id) = (try routes.app(call.parameters), try call.parameters.read(.webhook))
            var body = try await call.json()
            let isSkipping = try body.bool("skip") ?? false
            try body.finish()
            return Self.respond(
                try await webhooks.resume(
                    id, isSkipping: isSkipping, of: app, ifMatch: call.precondition, by: call.author))
        }
        routes.add(.post, one + "/test", .admin, to: &router, dryRun: .refused) { call throws(PlatformError) in
            let (app, id) = (try routes.app(call.parameters), try call.parameters.read(.webhook))
            try await call.json().finish()
            return .json(.ok, Self.json(try await webhooks.test(id, of: app, by: call.author)))
        }
        routes.add(.get, one + "/deliveries", .admin, to: &router, parameters: Self.deliveries.parameters) {
            call throws(PlatformError) in
            let deliveries = try await webhooks.deliveries(of: try await Self.webhook(call, routes))
            return try Self.deliveries.respond("deliveries", deliveries, to: call) { delivery in
                .object([.init("number", .integer(delivery.number))] + (Self.json(delivery).members ?? []))
            }
        }
    }

    private static func respond(_ webhook: Webhook) -> Response {
        .json(.ok, .object(members(of: webhook)), tag: webhook.tag)
    }

    private static func webhook(
        _ call: OperatorRoutes.Call, _ routes: OperatorRoutes
    ) async throws(PlatformError) -> Webhook {
        let app = try routes.app(call.parameters)
        return try await routes.services.webhooks.requireWebhook(try call.parameters.read(.webhook), of: app)
    }

    /// Returns a webhook with its generated secret, which only this response contains.
    ///
    /// A dry run's secret is not stored, so it is not shown either.
    private static func withSecret(_ webhook: Webhook, _ call: OperatorRoutes.Call) -> JSON {
        guard webhook.kind == .standard, !call.author.isRehearsing, let secret = webhook.endpoint?.secret else {
            return .object(members(of: webhook))
        }
        return .object(members(of: webhook) + [.init("secret", .string(secret.text))])
    }

    private static func members(of webhook: Webhook) -> [JSON.Member] {
        let progress = webhook.progress
        let state = State(of: webhook)
        let json = JSON.object([
            "id": .integer(webhook.id.value), "kind": .string(webhook.kind.rawValue),
            "url": webhook.endpoint.map { .string($0.url) },
            "events": .array(webhook.events.patterns.map { .string($0) }),
            "createdAt": .string(webhook.createdAt.rfc3339), "state": .string(state.rawValue),
            "pausedAt": webhook.pause.map { .string($0.time.rfc3339) },
            "pausedBecause": webhook.pause.map { .string($0.reason) },
            "deliveredThrough": .integer(progress.deliveredThrough),
            "failures": .integer(Int64(progress.failures)),
            "failingSince": progress.failingSince.map { .string($0.rfc3339) },
            "nextAttempt": state == .failing ? .string(progress.nextAt.rfc3339) : nil,
            "previousSecretUntil": (webhook.endpoint?.previous.map(\.end).max()).map { .string($0.rfc3339) },
        ])
        return json.members ?? []
    }

    private static func json(_ delivery: WebhookDelivery) -> JSON {
        .object([
            "entry": delivery.entry.map { .integer($0) }, "event": .string(delivery.event),
            "time": .string(delivery.time.rfc3339), "milliseconds": .integer(delivery.duration),
            "outcome": .string(delivery.outcome.kind.rawValue),
            "status": delivery.outcome.status.map { .integer(Int64($0)) },
            "reason": delivery.outcome.reason.isEmpty ? nil : .string(delivery.outcome.reason),
        ])
    }
}

extension JSONReader {
    /// Takes the patterns of actions that a webhook receives.
    fileprivate mutating func events() throws(PlatformError) -> WebhookEvents? {
        guard let json = takeValue("events") else { return nil }
        guard let elements = json.elements, case let patterns = elements.compactMap(\.string),
            patterns.count == elements.count, let events = WebhookEvents(patterns)
        else { throw Self.wrong("events", WebhookEvents.shape) }
        return events
    }
}
