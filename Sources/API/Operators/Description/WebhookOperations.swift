import Domain
import Ground

extension OperationGroup {
    private static let all = "/apps/{app}/webhooks"
    private static let one = all + "/{webhook}"

    static let webhooks = OperationGroup(
        name: "Webhooks", text: "A webhook receives the entries of an app's audit log.",
        operations: [
            Operation(
                route: "GET \(all)", id: "listWebhooks", summary: "Lists webhooks",
                responses: [.list("webhooks", of: "Webhook", #"{"webhooks": [\#(webhook)]}"#)],
                parameters: ["state": .choice(states), "kind": .choice(WebhookKind.self)]),
            Operation(
                route: "POST \(all)", id: "createWebhook", summary: "Creates a webhook",
                details: "Only this response and that of rotate-secret have the secret.",
                body: .json(
                    .object(
                        ["url": .text],
                        optional: ["kind": .choice(WebhookKind.self), "events": events, "secret": .text]),
                    #"{"url": "https://ci.example.com/larder", "events": ["release.*"]}"#),
                responses: [.created(.named("Webhook"), webhook), .ok(.named("Webhook"), webhook)]),
            Operation(
                route: "GET \(one)", id: "getWebhook", summary: "Returns one webhook",
                responses: [.ok(.named("Webhook"), webhook)]),
            Operation(
                route: "PATCH \(one)", id: "changeWebhook",
                summary: "Changes the URL, the events or the secret of a webhook",
                body: .json(
                    .object([:], optional: ["url": .text, "events": events, "secret": .text]),
                    #"{"events": ["release.*", "version.publish"]}"#), responses: [.ok(.named("Webhook"), webhook)],
                errors: [.busy]),
            Operation(
                route: "DELETE \(one)", id: "deleteWebhook", summary: "Deletes a webhook",
                responses: [.ok(.named("Webhook"), webhook)]),
            Operation(
                route: "POST \(one)/rotate-secret", id: "rotateWebhookSecret", summary: "Generates a new secret",
                body: .json(
                    .object(
                        [:], optional: ["overlapHours": .integer(0...WebhookEndpoint.longestOverlapHours)]),
                    #"{"overlapHours": 24}"#, isRequired: false), responses: [.ok(.named("Webhook"), webhook)],
                errors: [.busy]),
            Operation(
                route: "POST \(one)/pause", id: "pauseWebhook", summary: "Stops the deliveries to a webhook",
                body: .json(.object([:]), "{}", isRequired: false), responses: [.ok(.named("Webhook"), webhook)],
                errors: [.busy]),
            Operation(
                route: "POST \(one)/resume", id: "resumeWebhook",
                summary: "Continues the deliveries to a webhook, at once",
                body: .json(.object([:], optional: ["skip": .boolean]), #"{"skip": true}"#, isRequired: false),
                responses: [.ok(.named("Webhook"), webhook)], errors: [.busy]),
            Operation(
                route: "POST \(one)/test", id: "testWebhook", summary: "Sends a test message",
                body: .json(.object([:]), "{}", isRequired: false),
                responses: [.ok(attempt(isListed: false), #"{\#(delivery)}"#)], errors: [.busy]),
            Operation(
                route: "GET \(one)/deliveries", id: "listDeliveries", summary: "Lists the last attempts",
                responses: [.list("deliveries", of: "Delivery", #"{"deliveries": [{"number": 1, \#(delivery)}]}"#)],
                parameters: ["outcome": .choice(WebhookOutcome.Kind.self)]),
        ],
        schemas: [("Webhook", schema), ("Delivery", attempt(isListed: true))])

    private static let states = ["active", "failing", "paused", "unreadable"]
    private static let events = Schema.array(.text, upTo: WebhookEvents.maximumPatterns)
    private static let webhook =
        #"{"id": 1, "kind": "standard", "url": "https://ci.example.com/larder", "events": ["release.*"], "#
        + #""createdAt": "2026-11-21T07:32:27.827Z", "state": "active", "deliveredThrough": 12, "failures": 0}"#
    private static let delivery =
        #""event": "release.make", "time": "2026-11-21T07:32:27.827Z", "milliseconds": 31, "outcome": "delivered", "#
        + #""status": 204"#
    private static let schema = Schema.shown(
        [
            "id": .id, "kind": .choice(WebhookKind.self), "events": .array(.text), "createdAt": .time,
            "state": .choice(states), "deliveredThrough": .count, "failures": .count,
        ],
        optional: [
            "url": .text, "pausedAt": .time, "pausedBecause": .text, "failingSince": .time, "nextAttempt": .time,
            "previousSecretUntil": .time, "secret": .text,
        ])

    private static func attempt(isListed: Bool) -> Schema {
        let schema = Schema.object(
            ["event": .text, "time": .time, "milliseconds": .count, "outcome": .choice(WebhookOutcome.Kind.self)],
            optional: ["entry": .id, "status": .count, "reason": .text])
        return isListed ? schema.adding("number", .id) : schema
    }
}
