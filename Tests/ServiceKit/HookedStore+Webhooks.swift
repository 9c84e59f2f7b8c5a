package import Domain
package import Ground

extension HookedStore: WebhookStore {
    package func webhooks(of app: AppID) async throws(PlatformError) -> [Webhook] { try await base.webhooks(of: app) }
    package func webhook(_ id: WebhookID, of app: AppID) async throws(PlatformError) -> Webhook? {
        try await base.webhook(id, of: app)
    }
    package func addWebhook(
        _ kind: WebhookKind, _ endpoint: WebhookEndpoint, _ events: WebhookEvents, of app: AppID, at now: Timestamp,
        audit: @Sendable (WebhookID) -> AuditEntry
    ) async throws(PlatformError) -> Webhook {
        try await base.addWebhook(kind, endpoint, events, of: app, at: now, audit: audit)
    }
    package func changeWebhook(
        _ webhook: Webhook, isSkipping: Bool, audit: AuditEntry
    ) async throws(PlatformError) -> Webhook? {
        try await hooked(.changeWebhook) { () throws(PlatformError) in
            try await base.changeWebhook(webhook, isSkipping: isSkipping, audit: audit)
        }
    }
    package func removeWebhook(
        _ id: WebhookID, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Webhook? {
        try await base.removeWebhook(id, of: app, audit: audit)
    }
    package func dueWebhooks(at now: Timestamp, limit: Int) async throws(PlatformError) -> [Webhook] {
        try await hooked(.dueWebhooks) { () throws(PlatformError) in
            try await base.dueWebhooks(at: now, limit: limit)
        }
    }
    package func recordProgress(
        _ webhook: Webhook, after through: Int64, _ delivery: WebhookDelivery?, audit: AuditEntry?
    ) async throws(PlatformError) -> Bool {
        try await hooked(.recordProgress) { () throws(PlatformError) in
            try await base.recordProgress(webhook, after: through, delivery, audit: audit)
        }
    }
    package func recordTest(_ delivery: WebhookDelivery, of webhook: WebhookID) async throws(PlatformError) {
        try await base.recordTest(delivery, of: webhook)
    }
    package func deliveries(of webhook: WebhookID) async throws(PlatformError) -> [WebhookDelivery] {
        try await base.deliveries(of: webhook)
    }
}

extension HookedStore: SignInStore {
    package func signInProviders() async throws(PlatformError) -> [StoredSignInProvider] {
        try await base.signInProviders()
    }
    package func signInProvider(_ name: SignInProviderName) async throws(PlatformError) -> StoredSignInProvider? {
        try await base.signInProvider(name)
    }
    package func putSignInProvider(
        _ provider: SignInProvider, _ secret: ClientSecret, over known: StoredSignInProvider?, audit: AuditEntry
    ) async throws(PlatformError) -> (stored: StoredSignInProvider, users: [UserID]) {
        try await base.putSignInProvider(provider, secret, over: known, audit: audit)
    }
    package func removeSignInProvider(
        _ known: StoredSignInProvider, audit: AuditEntry
    ) async throws(PlatformError) -> [UserID] {
        try await base.removeSignInProvider(known, audit: audit)
    }
    package func addSignInAttempt(_ attempt: SignInAttempt) async throws(PlatformError) {
        try await base.addSignInAttempt(attempt)
    }
    package func takeSignInAttempt(
        stateHash: SHA256Digest, browserHash: SHA256Digest, of provider: SignInProviderName, at now: Timestamp
    ) async throws(PlatformError) -> SignInAttempt? {
        try await base.takeSignInAttempt(stateHash: stateHash, browserHash: browserHash, of: provider, at: now)
    }
    package func beginSession(
        of person: IdentifiedPerson, by provider: StoredSignInProvider, placeholder: PasswordHash,
        secretHash: SHA256Digest, address: String, at now: Timestamp, audit: @Sendable (ProvidedUser) -> [AuditEntry]
    ) async throws(PlatformError) -> (session: Session, user: User) {
        try await base.beginSession(
            of: person, by: provider, placeholder: placeholder, secretHash: secretHash, address: address, at: now,
            audit: audit)
    }
}

extension HookedStore: CITrustStore {
    package func ciTrusts() async throws(PlatformError) -> [CITrust] { try await base.ciTrusts() }
    package func ciTrust(_ name: CITrustName) async throws(PlatformError) -> CITrust? { try await base.ciTrust(name) }
    package func putCITrust(
        _ trust: CITrust, over known: CITrust?, audit: AuditEntry
    ) async throws(PlatformError) {
        try await base.putCITrust(trust, over: known, audit: audit)
    }
    package func removeCITrust(_ known: CITrust, audit: AuditEntry) async throws(PlatformError) {
        try await base.removeCITrust(known, audit: audit)
    }
    package func createToken(
        _ draft: TokenDraft, secretHash: SHA256Digest, by trust: CITrust, audit: AuditEntry
    ) async throws(PlatformError) -> Token {
        try await base.createToken(draft, secretHash: secretHash, by: trust, audit: audit)
    }
}
