package import Ground

/// Everything that Larder knows, but for the bytes of blobs.
///
/// Each method is one transaction: it happens whole or not at all, and once it has returned it survives a crash. A
/// change writes its audit entry, its events and the app's next config version along with itself. Methods throw
/// `storageFull` or `storageFailed` where the store fails, and what their own comment says.
package protocol MetadataStore: RetentionStore, VersionDetailsStore, PresetStore, DialectStore, ResourceStore,
    PageGrantStore, SeenDeviceStore
{
    /// Random hex digits, drawn when the store is made and anew by whoever restores a copy; the first half of every
    /// cursor.
    var epoch: String { get }

    // MARK: Apps

    func apps() async throws(PlatformError) -> [AppID]
    /// Makes an app with its first keys and the channel `production`; `false` where it was there already.
    func createApp(_ app: AppID, keys: [AppKey], audit: AuditEntry) async throws(PlatformError) -> Bool
    func channels(of app: AppID) async throws(PlatformError) -> [ChannelName]
    /// `false` where it was there already.
    func declareChannel(_ channel: ChannelName, of app: AppID, audit: AuditEntry) async throws(PlatformError) -> Bool
    /// Everything that the answers to an app's devices are made of.
    ///
    /// - Parameter now: Versions that nobody is offered at this instant or later, the last activation's at the earliest, are
    ///   named by their releases alone: what has ended costs nothing more.
    func state(of app: AppID, at now: Timestamp) async throws(PlatformError) -> AppState
    /// The same with the releases as they were at an instant, or will be if nobody does anything; all else is as it is.
    func state(of app: AppID, asOf instant: Timestamp) async throws(PlatformError) -> AppState
    /// Draws the app's next config version: `max(last + 1, now)`.
    func drawConfigVersion(of app: AppID, at now: Timestamp) async throws(PlatformError)

    // MARK: Packages and versions

    /// Makes or changes a package; `false` where it was there already. Nothing is written where nothing differs. Throws
    /// `nameTaken` where the id differs from an existing one in case alone.
    func putPackage(_ package: Package, audit: AuditEntry) async throws(PlatformError) -> Bool
    /// By id.
    func packages(of app: AppID) async throws(PlatformError) -> [Package]
    /// Exact by case.
    func package(_ package: PackageID, in app: AppID) async throws(PlatformError) -> Package?
    func versions(of package: PackageID, in app: AppID) async throws(PlatformError) -> [VersionSummary]
    /// Exact by case.
    func version(_ version: VersionString, of package: PackageID, in app: AppID) async throws(PlatformError) -> Version?
    /// What lies at a path of a version that a release of the channel names, be it over or still to come; `nil` where
    /// none does. Exact by case. Reads no more of the version than that.
    func unpackedItem(
        at path: UnpackedPath, of version: VersionString, of package: PackageID, on channel: ChannelName, in app: AppID
    ) async throws(PlatformError) -> UnpackedItem?
    /// What was ever published under this version string, regardless of case.
    func publication(
        of version: VersionString, of package: PackageID, in app: AppID
    )
        async throws(PlatformError) -> Publication?
    /// Keeps of the findings as many as ``LintResult/kept`` has. Throws `versionExists` where the version string is
    /// taken, regardless of case; one of the same identity whose files were removed gets them back.
    func publish(
        _ version: Version, _ details: VersionDetails, findings: LintResult, identity: SHA256Digest,
        full: SignedArtifact, blobs: [BlobRecord], audit: AuditEntry
    ) async throws(PlatformError)

    /// The full archives of a version with their signatures, in every layout that there is one of.
    func archives(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> [SignedArtifact]
    /// Adds a full archive of a version that is there; one of the same layout and recipe stays as it is, and nothing is
    /// written then.
    func addArchive(_ archive: SignedArtifact, blobs: [BlobRecord], audit: AuditEntry) async throws(PlatformError)

    // MARK: Releases

    /// All releases of a package, on every channel, by id.
    func releases(of package: PackageID, in app: AppID) async throws(PlatformError) -> [Release]
    /// The releases of every package on a channel that were not taken back, by id.
    func releases(on channel: ChannelName, in app: AppID) async throws(PlatformError) -> [Release]
    /// The incremental archives of these versions, from any base.
    func patches(
        to versions: [VersionString], of package: PackageID, in app: AppID
    )
        async throws(PlatformError) -> [Artifact]
    /// Makes the releases of a request, as ``ChannelReleases/making(_:needing:as:at:)`` decides at `audit.time`, together with
    /// the archives made for them and the events; returns one release for each draft. Throws `channelNotFound`,
    /// `versionNotFound`, `listNotFound`, and what that function throws.
    func makeReleases(
        _ request: ReleaseRequest, patches: [SignedArtifact], blobs: [BlobRecord], audit: AuditEntry
    ) async throws(PlatformError) -> [Release]
    /// The releases of a set, by package; `nil` for those of every set.
    func releases(ofSet set: ReleaseSetID?, in app: AppID) async throws(PlatformError) -> [Release]
    /// Writes releases as they are after an action, with their events. Throws `conflict` unless the revision of each is
    /// the next one, and then writes none.
    func changeReleases(_ releases: [Release], audit: AuditEntry) async throws(PlatformError)
    /// By name.
    func deviceLists(of app: AppID) async throws(PlatformError) -> [DeviceListSummary]
    /// `nil` where there is no such list.
    func devices(on list: DeviceListName, of app: AppID) async throws(PlatformError) -> DeviceSet?
    /// Makes a list or puts other devices on it; `false` where it was there already. Throws `conflict` where there are
    /// too many.
    func putDeviceList(
        _ list: DeviceListName, _ devices: DeviceSet, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool
    /// The builds of the host app, by appVersion.
    func builds(of app: AppID) async throws(PlatformError) -> [RegisteredBuild]
    /// Registers a build or gives it other APIs.
    func putBuild(_ build: HostBuild, of app: AppID, audit: AuditEntry) async throws(PlatformError)
    /// Removes the build of an appVersion.
    func deleteBuild(_ appVersion: String, of app: AppID, audit: AuditEntry) async throws(PlatformError)
    /// Adds patches of one app, of versions that are there, beside others of the same pairs; one of the same recipe stays as
    /// it is.
    func addPatches(_ patches: [SignedArtifact], at now: Timestamp) async throws(PlatformError)
    /// Notes that devices ask for a patch between versions that are there, and adds it where it is new.
    ///
    /// - Parameter patch: `nil` where there is one already.
    func addDemand(_ wish: PatchWish, patch: SignedArtifact?, at now: Timestamp) async throws(PlatformError)
    /// Notes that patches which devices asked for are still asked for; answers stay as they are, and what was never noted
    /// is passed over.
    func renewDemand(_ wishes: [PatchWish], at now: Timestamp) async throws(PlatformError)
    /// Appends the events that are due (``AnnouncedRelease/due(among:at:)``), each once; without one, the config version stays.
    func recordActivations(of app: AppID, upTo instant: Timestamp) async throws(PlatformError)
    /// The last events of an app, oldest first.
    func events(of app: AppID, last count: Int) async throws(PlatformError) -> [Event]

    // MARK: Keys

    /// The keys in use, in the order in which they came, whatever a clock said.
    func keys(of app: AppID) async throws(PlatformError) -> [AppKey]
    /// Puts a signing or legacy key into use beside those of its purpose, and adds its signatures to artifacts that are
    /// there. Throws `conflict` for a signing key that is or was there; a legacy key may come back, and its private
    /// half later.
    func addKey(
        _ key: AppKey, signing artifacts: [SignedArtifact], audit: AuditEntry
    ) async throws(PlatformError)
    /// Takes a signing key out of use at `audit.time` and forgets its private half, or a legacy key, which may come back;
    /// the key as it then is, or `nil` where there is none. One that is retired stays as it is. Throws `conflict` for the
    /// root key, and where no other key of its purpose is in use and valid.
    func retireKey(_ key: KeyID, of app: AppID, audit: AuditEntry) async throws(PlatformError) -> AppKey?
    /// What a key document says, as it is at one moment; `nil` where there is no root key.
    ///
    /// - Parameters:
    ///   - retired: How many retired signing keys are told.
    ///   - changes: How many changes of the root key.
    func keyFacts(of app: AppID, retired: Int, changes: Int) async throws(PlatformError) -> KeyFacts?
    /// Keys of a purpose that are out of use, the last one first.
    func retiredKeys(
        _ purpose: KeyPurpose, of app: AppID, last count: Int
    ) async throws(PlatformError) -> [AppKey]
    /// Puts a root key in the place of the one that signed `change`, and forgets that one's private half. Throws
    /// `conflict` where another one is in use, or the number is not the next.
    func changeRoot(to key: AppKey, saying change: RootChange, audit: AuditEntry) async throws(PlatformError)
    /// The last changes of the root key, the first one first.
    func rootChanges(of app: AppID, last count: Int) async throws(PlatformError) -> [RootChange]
    /// The artifacts of every version that lack a signature by this key, released or not.
    func artifactsLackingSignature(by key: KeyID, of app: AppID) async throws(PlatformError) -> [Artifact]
    /// Adds signatures to artifacts that are there; one by a key that has signed it already keeps the old value.
    func addSignatures(to artifacts: [SignedArtifact]) async throws(PlatformError)
    func keyDocument(of app: AppID) async throws(PlatformError) -> SignedKeyDocument?
    /// Throws `conflict` where the number does not grow, or the key that signed it is out of use.
    func saveKeyDocument(_ document: SignedKeyDocument, of app: AppID) async throws(PlatformError)

    // MARK: Operators

    func createToken(
        name: String, role: Role, secretHash: SHA256Digest, audit: AuditEntry
    )
        async throws(PlatformError) -> Token
    /// Revoked ones included, by id.
    func tokens() async throws(PlatformError) -> [Token]
    /// The token with this hash that is not revoked.
    func token(secretHash: SHA256Digest) async throws(PlatformError) -> Token?
    /// The token as revoked; `nil` where there is none. One revoked before stays as it was. Throws `conflict` for the
    /// last admin's.
    func revokeToken(_ id: Int64, audit: AuditEntry) async throws(PlatformError) -> Token?
    /// Newest first, before entry `before` where given.
    func audit(before: Int64?, limit: Int) async throws(PlatformError) -> [(id: Int64, entry: AuditEntry)]
    func recordAudit(_ entry: AuditEntry) async throws(PlatformError)

    // MARK: Reports

    /// Stores the reports that are not in the window by (app, device, event id) and about a published version; what
    /// became of each, in their order (semantics.md §10). What falls out of the window goes, oldest first, in bounded
    /// steps; what was counted stays counted.
    func insertReports(
        _ reports: [Report], at now: Timestamp, keeping window: ReportWindow
    ) async throws(PlatformError) -> [ReportOutcome]
    /// By version, then event.
    func reportCounts(of package: PackageID, in app: AppID) async throws(PlatformError) -> [ReportCount]

    // MARK: Blobs

    /// The digest of every blob that metadata refers to.
    func blobs() async throws(PlatformError) -> Set<SHA256Digest>
    /// Whether the store answers.
    func check() async throws(PlatformError)
}
