package import Ground

/// The secret by which a receiver verifies messages.
///
/// Its description hides the text, so that no log can contain it.
package struct WebhookSecret: Sendable, Equatable, CustomStringConvertible {
    package let text: String

    private static let prefix = "whsec_"
    /// The bytes of a generated secret.
    private static let length = 32
    /// The limit on the bytes of the secret of a robot.
    package static let maximumLength = 200

    /// Draws a secret of Standard Webhooks.
    package init(by cryptography: any Cryptography) {
        text = Self.prefix + Base64.encode(cryptography.randomBytes(Self.length))
    }

    /// Creates a secret that the platform of a robot has given; fails unless it is 1 to 200 visible ASCII characters.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }

    /// Returns a signature of Standard Webhooks: of the id, the Unix time and the body, joined by dots.
    package func signature(
        ofMessage id: String, at seconds: String, _ body: [UInt8], by cryptography: any Cryptography
    ) -> String {
        let key = Base64.decode(String(text.dropFirst(Self.prefix.utf8.count))) ?? Array(text.utf8)
        return "v1," + Base64.encode(cryptography.hmacSHA256(of: Array("\(id).\(seconds).".utf8) + body, key: key))
    }

    package var description: String { "(secret)" }
}

/// The URL of a webhook with its secrets.
///
/// The URLs of robots contain secrets as well, so the description is the host alone.
package struct WebhookEndpoint: Sendable, Equatable, CustomStringConvertible {
    package var url: String
    /// The secret; `nil` for robots without one.
    package var secret: WebhookSecret?
    /// The secrets before rotations, newest first, each of which signs as well until its end.
    package private(set) var previous: [Previous] = []

    package struct Previous: Sendable, Equatable {
        package let secret: WebhookSecret
        package let end: Timestamp
    }

    /// The limit on the previous secrets; a further rotation removes the oldest one.
    package static let maximumPrevious = 5
    /// The limit on the bytes of a URL.
    package static let maximumURLLength = 2048
    /// The hours in which a previous secret signs as well, if the operator gives no other number, and at most.
    package static let standardOverlapHours: Int64 = 24
    package static let longestOverlapHours: Int64 = 24 * 30

    package init(url: String, secret: WebhookSecret?) {
        self.url = url
        self.secret = secret
    }

    /// Replaces the secret; the present one signs as well until `end`.
    ///
    /// An `end` that is not in the future ends all previous secrets.
    package mutating func rotate(to new: WebhookSecret, keepingUntil end: Timestamp, at now: Timestamp) {
        let present = secret.map { [Previous(secret: $0, end: end)] } ?? []
        previous = end > now ? Array((present + previous).prefix(Self.maximumPrevious)) : []
        secret = new
    }

    /// Removes the previous secrets that have ended.
    package mutating func removeEndedSecrets(at now: Timestamp) { previous.removeAll { $0.end <= now } }

    /// Returns the secrets that sign at an instant, the newest first.
    func secrets(at now: Timestamp) -> [WebhookSecret] {
        (secret.map { [$0] } ?? []) + previous.filter { $0.end > now }.map(\.secret)
    }

    /// The host and port of the URL.
    package var description: String {
        String(url.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" && $0 != "?" })
    }
}

extension WebhookEndpoint {
    /// The endpoint as the database stores it.
    package var json: JSON {
        .object([
            "url": .string(url), "secret": secret.map { .string($0.text) },
            "previous": previous.isEmpty
                ? nil
                : .array(
                    previous.map {
                        .object(["secret": .string($0.secret.text), "until": .integer($0.end.milliseconds)])
                    }),
        ])
    }

    /// Reads ``json``; fails for anything else.
    package init?(_ json: JSON) {
        guard let url = json["url"]?.string else { return nil }
        self.init(url: url, secret: json["secret"]?.string.flatMap { WebhookSecret($0) })
        previous = (json["previous"]?.elements ?? []).compactMap { json in
            guard let secret = json["secret"]?.string.flatMap({ WebhookSecret($0) }), let end = json["until"]?.integer
            else { return nil }
            return Previous(secret: secret, end: Timestamp(milliseconds: end))
        }
    }
}
