package import Ground

/// The store of webhooks and their deliveries.
///
/// Changes leave the config version unchanged, since devices do not see them.
package protocol WebhookStore: Sendable {
    /// Returns the webhooks of an app by number.
    func webhooks(of app: AppID) async throws(PlatformError) -> [Webhook]
    func webhook(_ id: WebhookID, of app: AppID) async throws(PlatformError) -> Webhook?
    /// Inserts a webhook that receives the entries after that of its creation.
    ///
    /// Throws `conflict` if the app has ``Webhook/maximumPerApp`` others.
    ///
    /// - Parameter audit: Called with the number of the webhook.
    func addWebhook(
        _ kind: WebhookKind, _ endpoint: WebhookEndpoint, _ events: WebhookEvents, of app: AppID,
        at now: Timestamp, audit: @Sendable (WebhookID) -> AuditEntry
    ) async throws(PlatformError) -> Webhook
    /// Replaces the endpoint, the events and the pause of a webhook, and makes its next attempt due; returns the stored
    /// webhook, or `nil` if it was changed, paused or removed since it was read.
    ///
    /// An endpoint that cannot be decrypted stays stored.
    ///
    /// - Parameter isSkipping: Whether the webhook receives only the entries after that of the change.
    func changeWebhook(
        _ webhook: Webhook, isSkipping: Bool, audit: AuditEntry
    ) async throws(PlatformError) -> Webhook?
    /// Removes and returns a webhook with its deliveries; returns `nil` and writes nothing if there is none.
    func removeWebhook(_ id: WebhookID, of app: AppID, audit: AuditEntry) async throws(PlatformError) -> Webhook?
    /// Returns up to `limit` active webhooks that have new entries and whose time has come, the longest due first,
    /// also if their endpoint cannot be decrypted.
    func dueWebhooks(at now: Timestamp, limit: Int) async throws(PlatformError) -> [Webhook]
    /// Stores the progress of a webhook, and an attempt if there was one.
    ///
    /// A caller that does not know the outcome of its commit may repeat the call: it stores nothing twice, and returns
    /// `true` unless the webhook was changed since.
    ///
    /// Returns `false` if the webhook was changed after it was read, or has other progress. The entry of a delivery then
    /// counts as received, and no other progress is stored.
    ///
    /// - Parameters:
    ///   - webhook: The webhook as it was read, with the progress and the pause to store.
    ///   - through: ``WebhookProgress/deliveredThrough`` as it was read.
    ///   - audit: The entry of the pause, if the attempt paused the webhook.
    func recordProgress(
        _ webhook: Webhook, after through: Int64, _ delivery: WebhookDelivery?, audit: AuditEntry?
    ) async throws(PlatformError) -> Bool
    /// Stores the attempt of a test call, unless the webhook was removed.
    func recordTest(_ delivery: WebhookDelivery, of webhook: WebhookID) async throws(PlatformError)
    /// Returns the newest deliveries of a webhook, newest first.
    func deliveries(of webhook: WebhookID) async throws(PlatformError) -> [WebhookDelivery]
}
