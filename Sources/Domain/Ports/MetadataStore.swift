package import Ground

/// The store of all metadata, which is everything except the bytes of blobs.
///
/// Each method is one transaction: it happens completely or not at all, and its changes survive a crash once it has
/// returned. A change includes its audit entry, its events and the app's next config version. Methods throw
/// `storageFull` or `storageFailed` if the store fails, and the errors that their own comments name.
package protocol MetadataStore: RetentionStore, VersionDetailsStore, PresetStore, DialectStore, ResourceStore,
    PageGrantStore, SeenDeviceStore
{
    /// The random hex digits that begin every cursor.
    ///
    /// They are generated when the store is created, and again when a backup is restored.
    var epoch: String { get }

    // MARK: Apps

    func apps() async throws(PlatformError) -> [AppID]
    /// Creates an app with its first keys and the channel `production`; returns `false` if it exists.
    func createApp(_ app: AppID, keys: [AppKey], audit: AuditEntry) async throws(PlatformError) -> Bool
    func channels(of app: AppID) async throws(PlatformError) -> [ChannelName]
    /// Declares a channel; returns `false` if it exists.
    func declareChannel(_ channel: ChannelName, of app: AppID, audit: AuditEntry) async throws(PlatformError) -> Bool
    /// Returns the state from which the responses to an app's devices are made.
    ///
    /// - Parameter now: The instant that bounds the state, at least the last activation: versions that no device is
    ///   offered then or later appear only in their releases, so that ended releases cost nothing more.
    func state(of app: AppID, at now: Timestamp) async throws(PlatformError) -> AppState
    /// Returns the state with the releases as they were or will be at an instant, and all else as it is now.
    func state(of app: AppID, asOf instant: Timestamp) async throws(PlatformError) -> AppState
    /// Sets the app's config version to `max(last + 1, now)`.
    func drawConfigVersion(of app: AppID, at now: Timestamp) async throws(PlatformError)

    // MARK: Packages and versions

    /// Inserts or updates a package; returns whether it is new.
    ///
    /// Writes nothing if nothing differs. Throws `nameTaken` if the id differs from an existing one only in case.
    func putPackage(_ package: Package, audit: AuditEntry) async throws(PlatformError) -> Bool
    /// Returns the packages of an app, by id.
    func packages(of app: AppID) async throws(PlatformError) -> [Package]
    /// Returns a package; its name is case-sensitive.
    func package(_ package: PackageID, in app: AppID) async throws(PlatformError) -> Package?
    func versions(of package: PackageID, in app: AppID) async throws(PlatformError) -> [VersionSummary]
    /// Returns a version; its name is case-sensitive.
    func version(_ version: VersionString, of package: PackageID, in app: AppID) async throws(PlatformError) -> Version?
    /// Returns the item at a path of a version, if a release of the channel names the version, even an ended or
    /// scheduled one.
    ///
    /// Returns `nil` if no release does. Names are case-sensitive. Reads only this item of the version.
    func unpackedItem(
        at path: UnpackedPath, of version: VersionString, of package: PackageID, on channel: ChannelName, in app: AppID
    ) async throws(PlatformError) -> UnpackedItem?
    /// Returns the publication of a version string, regardless of case.
    func publication(
        of version: VersionString, of package: PackageID, in app: AppID
    )
        async throws(PlatformError) -> Publication?
    /// Inserts a version, with at most as many findings as ``LintResult/kept`` has.
    ///
    /// Throws `versionExists` if the version string is taken, regardless of case; an identical version whose files were
    /// removed gets them back.
    func publish(
        _ version: Version, _ details: VersionDetails, findings: LintResult, identity: SHA256Digest,
        full: SignedArtifact, blobs: [BlobRecord], audit: AuditEntry
    ) async throws(PlatformError)

    /// Returns the full archives of a version in all layouts, with their signatures.
    func archives(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> [SignedArtifact]
    /// Inserts a full archive of an existing version; writes nothing if one of the same layout and recipe exists.
    func addArchive(_ archive: SignedArtifact, blobs: [BlobRecord], audit: AuditEntry) async throws(PlatformError)

    // MARK: Releases

    /// Returns all releases of a package, on every channel, by id.
    func releases(of package: PackageID, in app: AppID) async throws(PlatformError) -> [Release]
    /// Returns the releases of all packages on a channel that were not taken back, by id.
    func releases(on channel: ChannelName, in app: AppID) async throws(PlatformError) -> [Release]
    /// Returns the incremental archives of these versions, from any base.
    func patches(
        to versions: [VersionString], of package: PackageID, in app: AppID
    )
        async throws(PlatformError) -> [Artifact]
    /// Inserts the releases of a request with their patches and events; returns one release for each draft.
    ///
    /// ``ChannelReleases/making(_:needing:as:at:)`` decides the releases at `audit.time`. Throws `channelNotFound`,
    /// `versionNotFound`, `listNotFound`, and the errors of that function.
    func makeReleases(
        _ request: ReleaseRequest, patches: [SignedArtifact], blobs: [BlobRecord], audit: AuditEntry
    ) async throws(PlatformError) -> [Release]
    /// Returns the releases of a set, by package; of all sets for `nil`.
    func releases(ofSet set: ReleaseSetID?, in app: AppID) async throws(PlatformError) -> [Release]
    /// Updates releases after an action, with their events.
    ///
    /// Throws `conflict` unless each revision is the next one, and then updates none.
    func changeReleases(_ releases: [Release], audit: AuditEntry) async throws(PlatformError)
    /// Returns the device lists of an app, by name.
    func deviceLists(of app: AppID) async throws(PlatformError) -> [DeviceListSummary]
    /// Returns the devices of a list; `nil` if there is no such list.
    func devices(on list: DeviceListName, of app: AppID) async throws(PlatformError) -> DeviceSet?
    /// Inserts a device list or replaces its devices; returns whether it is new.
    ///
    /// Throws `conflict` if there are too many lists.
    func putDeviceList(
        _ list: DeviceListName, _ devices: DeviceSet, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool
    /// Returns the builds of the host app, by appVersion.
    func builds(of app: AppID) async throws(PlatformError) -> [RegisteredBuild]
    /// Inserts a build or replaces its APIs.
    func putBuild(_ build: HostBuild, of app: AppID, audit: AuditEntry) async throws(PlatformError)
    /// Removes the build of an appVersion.
    func deleteBuild(_ appVersion: String, of app: AppID, audit: AuditEntry) async throws(PlatformError)
    /// Inserts patches between existing versions of one app; keeps an existing patch of the same pair and recipe.
    func addPatches(_ patches: [SignedArtifact], at now: Timestamp) async throws(PlatformError)
    /// Records that devices request a patch between existing versions, and inserts the patch.
    ///
    /// - Parameter patch: The patch; `nil` if it exists.
    func addDemand(_ wish: PatchWish, patch: SignedArtifact?, at now: Timestamp) async throws(PlatformError)
    /// Records that patches are still requested; ignores those that were never recorded.
    ///
    /// Responses do not change.
    func renewDemand(_ wishes: [PatchWish], at now: Timestamp) async throws(PlatformError)
    /// Inserts the due events (``AnnouncedRelease/due(among:at:)``), each once; without any, the config version stays.
    func recordActivations(of app: AppID, upTo instant: Timestamp) async throws(PlatformError)
    /// Returns the last events of an app, oldest first.
    func events(of app: AppID, last count: Int) async throws(PlatformError) -> [Event]

    // MARK: Keys

    /// Returns the keys in use, in the order of insertion, regardless of clocks.
    func keys(of app: AppID) async throws(PlatformError) -> [AppKey]
    /// Puts a signing or legacy key into use, and adds its signatures to existing artifacts.
    ///
    /// Throws `conflict` for a signing key that exists or existed; a legacy key may return, also with a private half
    /// that it lacked.
    func addKey(
        _ key: AppKey, signing artifacts: [SignedArtifact], audit: AuditEntry
    ) async throws(PlatformError)
    /// Retires a key at `audit.time` and returns it; returns `nil` if there is none, and an already retired key
    /// unchanged.
    ///
    /// Deletes the private half of a signing key; a legacy key may return. Throws `conflict` for the root key, and for
    /// the last key of its purpose that is in use and valid.
    func retireKey(_ key: KeyID, of app: AppID, audit: AuditEntry) async throws(PlatformError) -> AppKey?
    /// Returns the content of a key document in one consistent read; `nil` if there is no root key.
    ///
    /// - Parameters:
    ///   - retired: The number of retired signing keys.
    ///   - changes: The number of changes of the root key.
    func keyFacts(of app: AppID, retired: Int, changes: Int) async throws(PlatformError) -> KeyFacts?
    /// Returns the retired keys of a purpose, most recently retired first.
    func retiredKeys(
        _ purpose: KeyPurpose, of app: AppID, last count: Int
    ) async throws(PlatformError) -> [AppKey]
    /// Replaces the root key that signed `change`, and deletes its private half.
    ///
    /// Throws `conflict` if another root key is in use, or the number is not the next one.
    func changeRoot(to key: AppKey, saying change: RootChange, audit: AuditEntry) async throws(PlatformError)
    /// Returns the last changes of the root key, oldest first.
    func rootChanges(of app: AppID, last count: Int) async throws(PlatformError) -> [RootChange]
    /// Returns the artifacts of all versions, released or not, that lack a signature by this key.
    func artifactsLackingSignature(by key: KeyID, of app: AppID) async throws(PlatformError) -> [Artifact]
    /// Adds signatures to existing artifacts; keeps an existing signature by the same key.
    func addSignatures(to artifacts: [SignedArtifact]) async throws(PlatformError)
    func keyDocument(of app: AppID) async throws(PlatformError) -> SignedKeyDocument?
    /// Stores a key document; throws `conflict` unless its number grows and its signing key is in use.
    func saveKeyDocument(_ document: SignedKeyDocument, of app: AppID) async throws(PlatformError)

    // MARK: Operators

    func createToken(
        name: String, role: Role, secretHash: SHA256Digest, audit: AuditEntry
    )
        async throws(PlatformError) -> Token
    /// Returns the tokens by id, including revoked ones.
    func tokens() async throws(PlatformError) -> [Token]
    /// Returns the token with this hash, unless it is revoked.
    func token(secretHash: SHA256Digest) async throws(PlatformError) -> Token?
    /// Revokes a token and returns it; returns `nil` if there is none, and an already revoked token unchanged.
    ///
    /// Throws `conflict` for the last admin's token.
    func revokeToken(_ id: Int64, audit: AuditEntry) async throws(PlatformError) -> Token?
    /// Returns the audit entries, newest first, before entry `before` if given.
    func audit(before: Int64?, limit: Int) async throws(PlatformError) -> [(id: Int64, entry: AuditEntry)]
    func recordAudit(_ entry: AuditEntry) async throws(PlatformError)

    // MARK: Reports

    /// Inserts the reports of published versions that are not in the window by (app, device, event id).
    ///
    /// Returns their outcomes in order (semantics.md §10). Removes reports that leave the window, oldest first, in
    /// bounded steps; their counts stay.
    func insertReports(
        _ reports: [Report], at now: Timestamp, keeping window: ReportWindow
    ) async throws(PlatformError) -> [ReportOutcome]
    /// Returns the counts of reports by version, then event.
    func reportCounts(of package: PackageID, in app: AppID) async throws(PlatformError) -> [ReportCount]

    // MARK: Blobs

    /// Returns the digests of all blobs that metadata reference.
    func blobs() async throws(PlatformError) -> Set<SHA256Digest>
    /// Throws unless the store works.
    func check() async throws(PlatformError)
}
