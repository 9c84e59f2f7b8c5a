package import Ground

/// The number of a webhook.
package struct WebhookID: Hashable, Sendable, CustomStringConvertible {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    package var description: String { String(value) }
}

/// A webhook: a URL that receives the entries of an app's audit log in their order.
package struct Webhook: Sendable, Equatable {
    package let id: WebhookID
    package let app: AppID
    package let kind: WebhookKind
    /// The URL and the secrets; `nil` if the stored ones cannot be decrypted.
    package var endpoint: WebhookEndpoint?
    package var events: WebhookEvents
    package let createdAt: Timestamp
    /// The pause, during which no entry is delivered; `nil` while the webhook is active.
    package var pause: Pause?
    /// A number that grows with each change, and with a pause.
    package let revision: Int64
    package var progress: WebhookProgress

    /// An interruption of the deliveries, by an operator or after failures.
    package struct Pause: Sendable, Equatable {
        package let time: Timestamp
        /// The reason in words.
        package let reason: String

        package init(time: Timestamp, reason: String) {
            self.time = time
            self.reason = reason
        }

        /// The reason of a pause by an operator.
        package static let byOperator = "an operator paused the webhook"
    }

    /// The limit on the webhooks of an app.
    package static let maximumPerApp = 20
    /// The number of newest deliveries that are kept for each webhook.
    package static let keptDeliveries = 200

    package init(
        id: WebhookID, app: AppID, kind: WebhookKind, endpoint: WebhookEndpoint?, events: WebhookEvents,
        createdAt: Timestamp, pause: Pause? = nil, revision: Int64 = 1, progress: WebhookProgress
    ) {
        self.id = id
        self.app = app
        self.kind = kind
        self.endpoint = endpoint
        self.events = events
        self.createdAt = createdAt
        self.pause = pause
        self.revision = revision
        self.progress = progress
    }
}
