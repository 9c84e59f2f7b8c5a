package import Ground

/// An event to deliver, independent of the receiver's format.
package struct WebhookMessage: Sendable {
    /// The id, which stays the same when the message is sent again.
    package let id: String
    /// The action, or `webhook.test`.
    package let event: String
    package let time: Timestamp
    /// The content for programs.
    package let data: JSON
    /// The content for people, in one or two lines.
    package let text: String

    /// The event of a test call.
    package static let testEvent = "webhook.test"
    /// The limit on the bytes of each part of a text.
    private static let partLength = 500

    /// Creates the message about an entry of the audit log.
    ///
    /// - Parameter epoch: The text that distinguishes this database from others.
    package init(entry number: Int64, _ entry: AuditEntry, epoch: String) {
        id = "\(epoch)-\(number)"
        event = entry.action
        time = entry.time
        data = entry.json(number)
        let suffix = entry.app.map { " in \($0)" } ?? ""
        let details = entry.details.isEmpty ? "" : "\n\(Self.shown(JSON.object(entry.details).text))"
        text = "Larder: \(entry.action) \(Self.shown(entry.subject))\(suffix), by \(Self.shown(entry.actor))\(details)"
    }

    /// Creates the message of a test call.
    package init(testOf webhook: Webhook, by actor: String, id: String, at now: Timestamp) {
        self.id = id
        event = Self.testEvent
        time = now
        data = .object([
            "app": .string(webhook.app.text), "webhook": .integer(webhook.id.value), "actor": .string(actor),
        ])
        text = "Larder: test of webhook \(webhook.id) of \(webhook.app), by \(Self.shown(actor))"
    }

    private static func shown(_ text: String) -> String { ShownText.of(text.utf8, upTo: partLength) }
}

/// An HTTP request that delivers a message.
package struct WebhookRequest: Sendable, Equatable {
    package let url: String
    /// The fields besides `Content-Type`, by name.
    package let fields: [String: String]
    package let body: [UInt8]
    /// Whether the sender needs the body of the response as well as its head.
    package let readsResponse: Bool
}

extension Webhook {
    /// Returns the request for a message, signed for an attempt at an instant; returns `nil` if the endpoint cannot be
    /// decrypted.
    package func request(
        for message: WebhookMessage, at now: Timestamp, by cryptography: any Cryptography
    ) -> WebhookRequest? {
        guard let endpoint else { return nil }
        return switch kind {
        case .standard: endpoint.standardRequest(message, now, cryptography)
        case .slack:
            WebhookRequest(
                url: endpoint.url, fields: [:], body: JSON.object(["text": .string(message.text.slackEscaped)]).bytes(),
                readsResponse: kind.readsBody)
        case .feishu: endpoint.feishuRequest(message, now, cryptography)
        case .dingtalk: endpoint.dingTalkRequest(message, now, cryptography)
        }
    }
}

extension WebhookEndpoint {
    /// Returns a request of Standard Webhooks 1.0: the signatures cover the id, the time and the body.
    fileprivate func standardRequest(
        _ message: WebhookMessage, _ now: Timestamp, _ cryptography: any Cryptography
    ) -> WebhookRequest {
        let body = JSON.object([
            "type": .string(message.event), "timestamp": .string(message.time.rfc3339), "data": message.data,
        ]).bytes()
        let seconds = String(now.seconds)
        let signatures = secrets(at: now).map { secret in
            secret.signature(ofMessage: message.id, at: seconds, body, by: cryptography)
        }
        return WebhookRequest(
            url: url,
            fields: [
                "webhook-id": message.id, "webhook-timestamp": seconds,
                "webhook-signature": signatures.joined(separator: " "),
            ], body: body, readsResponse: WebhookKind.standard.readsBody)
    }

    /// Returns a request to a robot of Feishu, whose signature is in the body: the time and the secret are the key, and
    /// the signed content is empty.
    fileprivate func feishuRequest(
        _ message: WebhookMessage, _ now: Timestamp, _ cryptography: any Cryptography
    ) -> WebhookRequest {
        var members: [JSON.Member] = []
        if let secret {
            let key = Array("\(now.seconds)\n\(secret.text)".utf8)
            let signature = Base64.encode(cryptography.hmacSHA256(of: [], key: key))
            members = [.init("timestamp", .string(String(now.seconds))), .init("sign", .string(signature))]
        }
        members += [
            .init("msg_type", "text"), .init("content", .object(["text": .string(message.text.feishuEscaped)])),
        ]
        return WebhookRequest(
            url: url, fields: [:], body: JSON.object(members).bytes(), readsResponse: WebhookKind.feishu.readsBody)
    }

    /// Returns a request to a robot of DingTalk, whose signature is in the query.
    fileprivate func dingTalkRequest(
        _ message: WebhookMessage, _ now: Timestamp, _ cryptography: any Cryptography
    ) -> WebhookRequest {
        var url = url
        if let secret {
            let content = Array("\(now.milliseconds)\n\(secret.text)".utf8)
            let signature = Base64.encode(cryptography.hmacSHA256(of: content, key: Array(secret.text.utf8)))
            url += url.contains("?") ? "&" : "?"
            url += "timestamp=\(now.milliseconds)&sign=\(PercentEncoding.encode(signature.utf8))"
        }
        let body = JSON.object(["msgtype": "text", "text": .object(["content": .string(message.text)])]).bytes()
        return WebhookRequest(url: url, fields: [:], body: body, readsResponse: WebhookKind.dingtalk.readsBody)
    }
}

extension String {
    /// The text with Slack's three control characters escaped, and with a word joiner after each `@`, so that it
    /// mentions nobody: Mattermost, Rocket.Chat and Discord read a plain `@all`.
    fileprivate var slackEscaped: String {
        replacing(["&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "@\u{2060}"])
    }

    /// The text with angle brackets of full width: Feishu reads tags such as `<at user_id="all">` in texts.
    fileprivate var feishuEscaped: String { replacing(["<": "＜", ">": "＞"]) }

    /// Replaces scalars, also within a character of several.
    private func replacing(_ replacements: [Unicode.Scalar: String]) -> String {
        unicodeScalars.map { replacements[$0] ?? String($0) }.joined()
    }
}
