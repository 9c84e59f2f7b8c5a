/// The ports to all metadata, which is everything except the bytes of blobs; one database implements them together.
///
/// A use case takes the ports that it needs, and never all of them.
///
/// Every port has this contract:
/// - Each method is one transaction: it happens completely or not at all. Concurrent calls have the effect of calls one
///   after the other.
/// - The changes of a method survive a crash once it has returned.
/// - A method that takes an audit entry writes it if it changes anything. It checks a rehearsal
///   (``AuditEntry/isRehearsal``) in full and rolls it back.
/// - A change that concerns devices inserts its events and draws the app's next config version, unless the port or the
///   method states otherwise.
/// - Names are case-sensitive, unless a method states otherwise.
/// - Methods throw `storageFull`, `storageUnavailable` or `storageFailed` if the store fails, and the errors that their
///   own comments name. After `storageUnavailable` a change may have been committed.
package typealias MetadataStore = AppStore & AppStateStore & PackageStore & VersionStore & VersionDetailsStore
    & WaiverStore & ArtifactStore & ContentStore & ReleaseStore & PresetStore & DeviceListStore & BuildStore
    & PageGrantStore & KeyStore & KeyDocumentStore & TokenStore & CITrustStore & UserStore & SignInStore
    & AuditStore
    & IdempotencyKeyStore & ReportStore
    & ReportTotalStore & BlobNameStore & RetentionStore & ResourceStore & SeenDeviceStore & DeviceStore
    & AdoptionStore & WebhookStore & HealthStore & ApprovalStore
