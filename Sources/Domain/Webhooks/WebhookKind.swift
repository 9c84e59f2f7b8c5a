import Ground

/// The format of a webhook's messages, and the way in which the receiver reports errors.
package enum WebhookKind: String, Sendable, CaseIterable {
    /// A receiver of Standard Webhooks: signed JSON with the audit entry.
    case standard
    /// An incoming webhook of Slack, or of a program with the same format.
    case slack
    /// A robot of Feishu or Lark.
    case feishu
    /// A robot of DingTalk.
    case dingtalk

    /// Whether the platform of the receiver gives the secret, which is optional then.
    package var hasGivenSecret: Bool { self == .feishu || self == .dingtalk }

    /// Whether the body of a response counts as well as its status.
    var readsBody: Bool { self == .feishu || self == .dingtalk }

    /// Returns the result that a reply means; robots report errors in the body of a response with status 200.
    package func outcome(of reply: WebhookReply) -> WebhookOutcome {
        switch reply {
        case .failure(let reason): WebhookOutcome(.unreachable, reason: reason)
        case .forbidden(let reason): WebhookOutcome(.forbidden, reason: reason)
        case .response(let status, let retryAfter, let body):
            switch status {
            case 200..<300: accepted(status, body)
            case 300..<400:
                WebhookOutcome(
                    .rejected, status: status,
                    reason: "the receiver redirects (\(status)), and redirects are not followed: set the final URL")
            default:
                WebhookOutcome(
                    .rejected, status: status, reason: "the receiver responded \(status)",
                    retryAfter: retryAfter.map { Int64(max(0, min($0, 86_400))) * 1000 })
            }
        }
    }

    private func accepted(_ status: Int, _ body: [UInt8]) -> WebhookOutcome {
        let names: (codes: [String], message: String)
        switch self {
        case .standard, .slack: return WebhookOutcome(.delivered, status: status)
        // Robots of Feishu have had both names.
        case .feishu: names = (["code", "StatusCode"], "msg")
        case .dingtalk: names = (["errcode"], "errmsg")
        }
        let json = JSON(parsing: body)
        let codes = names.codes.compactMap { name in json?[name]?.integer.map { (name, $0) } }
        guard let (name, code) = codes.first else {
            return WebhookOutcome(.rejected, status: status, reason: "the response is not that of a robot")
        }
        guard code != 0 else { return WebhookOutcome(.delivered, status: status) }
        let message = json?[names.message]?.string ?? ""
        return WebhookOutcome(
            .rejected, status: status, reason: "the robot refused the message (\(name) \(code)): \(message)")
    }
}
