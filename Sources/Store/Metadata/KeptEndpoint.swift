import Domain
import Ground

/// The endpoint of a webhook as the database stores it: plain or encrypted.
struct KeptEndpoint: KeptSecret {
    let app: AppID
    let kind: WebhookKind
    let createdAt: Timestamp
    let bytes: [UInt8]
    let isSealed: Bool

    init(app: AppID, kind: WebhookKind, createdAt: Timestamp, bytes: [UInt8], isSealed: Bool) {
        self.app = app
        self.kind = kind
        self.createdAt = createdAt
        self.bytes = bytes
        self.isSealed = isSealed
    }

    /// Creates the stored form of an endpoint, encrypted if there is a sealer.
    init(
        _ endpoint: WebhookEndpoint, of app: AppID, kind: WebhookKind, createdAt: Timestamp,
        by sealer: (any KeySealer)?
    ) throws(PlatformError) {
        let plain = endpoint.json.bytes()
        let label = Self.label(app, kind, createdAt)
        let bytes = try sealer.stored(plain, for: label)
        self.init(app: app, kind: kind, createdAt: createdAt, bytes: bytes, isSealed: sealer != nil)
    }

    /// Returns the text that encryption authenticates, so that one app's endpoint cannot replace another's.
    private static func label(_ app: AppID, _ kind: WebhookKind, _ createdAt: Timestamp) -> [UInt8] {
        Array("larder-webhook-1\n\(app)\n\(kind.rawValue)\n\(createdAt.milliseconds)\n".utf8)
    }

    /// Returns the endpoint.
    ///
    /// Throws `storageFailed` if it cannot be decrypted.
    func opened(by sealer: (any KeySealer)?) throws(PlatformError) -> WebhookEndpoint {
        let plain = sealer.plain(bytes, isSealed: isSealed, for: Self.label(app, kind, createdAt))
        guard let plain, let endpoint = JSON(parsing: plain).flatMap({ WebhookEndpoint($0) }) else {
            throw PlatformError(
                .storageFailed, "The endpoint of a webhook of '\(app)' cannot be decrypted. Restart the server.")
        }
        return endpoint
    }
}
