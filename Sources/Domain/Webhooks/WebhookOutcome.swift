package import Ground

/// The result of an attempt to deliver a message.
package struct WebhookOutcome: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The receiver accepted the message.
        case delivered
        /// The receiver responded with an error.
        case rejected
        /// There was no response in time, or the URL cannot be decrypted.
        case unreachable
        /// The address of the receiver is not permitted.
        case forbidden
    }

    package let kind: Kind
    /// The status of the response; `nil` without a response.
    package let status: Int?
    /// The failure in words; empty for a delivery.
    package let reason: String
    /// The milliseconds after which the receiver asks for the next attempt.
    package let retryAfter: Int64?

    /// The limit on the bytes of a reason.
    private static let maximumReasonLength = 300

    package init(_ kind: Kind, status: Int? = nil, reason: String = "", retryAfter: Int64? = nil) {
        self.kind = kind
        self.status = status
        self.reason = ShownText.of(reason.utf8, upTo: Self.maximumReasonLength)
        self.retryAfter = retryAfter
    }

    /// Whether the receiver states that it is gone for good.
    package var isGone: Bool { status == 410 }
}

/// An attempt to deliver a message.
package struct WebhookDelivery: Sendable, Equatable {
    /// The position among the webhook's deliveries, from 1; the store assigns it.
    package let number: Int64
    /// The id of the audit entry; `nil` for a test call.
    package let entry: Int64?
    /// The action, or `webhook.test`.
    package let event: String
    package let time: Timestamp
    /// The milliseconds of the attempt.
    package let duration: Int64
    package let outcome: WebhookOutcome

    package init(
        number: Int64 = 0, entry: Int64?, event: String, time: Timestamp, duration: Int64, outcome: WebhookOutcome
    ) {
        self.number = number
        self.entry = entry
        self.event = event
        self.time = time
        self.duration = duration
        self.outcome = outcome
    }
}
