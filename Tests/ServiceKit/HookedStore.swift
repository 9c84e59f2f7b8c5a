package import Domain
package import Ground
import Synchronization

/// A store that runs a test's hook before or after one of its methods: to fail, to wait, or to move a clock.
package final class HookedStore: MetadataStore {
    package typealias Hook = @Sendable () async throws(PlatformError) -> Void

    /// The methods that have hooks.
    package enum Method: Hashable, Sendable {
        case state, events, addKey, artifactsLackingSignature, token, insertReports, publication, publish
        case addPatches, makeRelease, changeRelease, createApp, check, revokeToken, version, noteNamed, forget,
            forgetBlobs
        case addDemand, unpackedItem, saveKeyDocument, package, archive, file, numberResources, noteSeenDevices, keys,
            patches
    }

    let base: any MetadataStore
    private let before = Mutex<[Method: Hook]>([:])
    private let after = Mutex<[Method: Hook]>([:])

    package init(_ base: any MetadataStore) {
        self.base = base
    }

    /// Sets the hook that runs before a method; `nil` removes it.
    package func setBefore(_ method: Method, _ hook: Hook?) { before.withLock { $0[method] = hook } }

    /// Sets the hook that runs after a method has committed.
    package func setAfter(_ method: Method, _ hook: Hook?) { after.withLock { $0[method] = hook } }

    func hooked<Result>(
        _ method: Method, _ body: () async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        try await before.withLock { $0[method] }?()
        let result = try await body()
        try await after.withLock { $0[method] }?()
        return result
    }

    // MARK: With hooks

    package func state(of app: AppID, at now: Timestamp) async throws(PlatformError) -> AppState {
        try await hooked(.state) { () throws(PlatformError) in try await base.state(of: app, at: now) }
    }

    package func events(of app: AppID, last count: Int) async throws(PlatformError) -> [Event] {
        try await hooked(.events) { () throws(PlatformError) in try await base.events(of: app, last: count) }
    }

    package func addKey(
        _ key: AppKey, signing artifacts: [SignedArtifact], audit: AuditEntry
    ) async throws(PlatformError) {
        try await hooked(.addKey) { () throws(PlatformError) in
            try await base.addKey(key, signing: artifacts, audit: audit)
        }
    }

    package func artifactsLackingSignature(
        by key: KeyID, of app: AppID
    ) async throws(PlatformError) -> [Artifact] {
        try await hooked(.artifactsLackingSignature) { () throws(PlatformError) in
            try await base.artifactsLackingSignature(by: key, of: app)
        }
    }

    package func token(secretHash: SHA256Digest) async throws(PlatformError) -> Token? {
        try await hooked(.token) { () throws(PlatformError) in try await base.token(secretHash: secretHash) }
    }

    package func insertReports(
        _ reports: [Report], at now: Timestamp, keeping window: ReportWindow
    ) async throws(PlatformError) -> [ReportOutcome] {
        try await hooked(.insertReports) { () throws(PlatformError) in
            try await base.insertReports(reports, at: now, keeping: window)
        }
    }

    package func publication(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> Publication? {
        try await hooked(.publication) { () throws(PlatformError) in
            try await base.publication(of: version, of: package, in: app)
        }
    }

    package func publish(
        _ version: Version, _ details: VersionDetails, findings: LintResult, identity: SHA256Digest,
        full: SignedArtifact, blobs: [BlobRecord], audit: AuditEntry
    ) async throws(PlatformError) {
        try await hooked(.publish) { () throws(PlatformError) in
            try await base.publish(
                version, details, findings: findings, identity: identity, full: full, blobs: blobs, audit: audit)
        }
    }

    package func makeReleases(
        _ request: ReleaseRequest, patches: [SignedArtifact], blobs: [BlobRecord], audit: AuditEntry
    ) async throws(PlatformError) -> [Release] {
        try await hooked(.makeRelease) { () throws(PlatformError) in
            try await base.makeReleases(request, patches: patches, blobs: blobs, audit: audit)
        }
    }

    package func addPatches(_ patches: [SignedArtifact], at now: Timestamp) async throws(PlatformError) {
        try await hooked(.addPatches) { () throws(PlatformError) in try await base.addPatches(patches, at: now) }
    }

    package func version(
        _ version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> Version? {
        try await hooked(.version) { () throws(PlatformError) in
            try await base.version(version, of: package, in: app)
        }
    }

    package func unpackedItem(
        at path: UnpackedPath, of version: VersionString, of package: PackageID, on channel: ChannelName, in app: AppID
    ) async throws(PlatformError) -> UnpackedItem? {
        try await hooked(.unpackedItem) { () throws(PlatformError) in
            try await base.unpackedItem(at: path, of: version, of: package, on: channel, in: app)
        }
    }

    package func createApp(
        _ app: AppID, keys: [AppKey], audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await hooked(.createApp) { () throws(PlatformError) in
            try await base.createApp(app, keys: keys, audit: audit)
        }
    }

    package func check() async throws(PlatformError) {
        try await hooked(.check) { () throws(PlatformError) in try await base.check() }
    }

    package func revokeToken(_ id: Int64, audit: AuditEntry) async throws(PlatformError) -> Token? {
        try await hooked(.revokeToken) { () throws(PlatformError) in try await base.revokeToken(id, audit: audit) }
    }

    package func addDemand(
        _ wish: PatchWish, patch: SignedArtifact?, at now: Timestamp
    ) async throws(PlatformError) {
        try await hooked(.addDemand) { () throws(PlatformError) in
            try await base.addDemand(wish, patch: patch, at: now)
        }
    }

    package func saveKeyDocument(_ document: SignedKeyDocument, of app: AppID) async throws(PlatformError) {
        try await hooked(.saveKeyDocument) { () throws(PlatformError) in
            try await base.saveKeyDocument(document, of: app)
        }
    }

    // MARK: Passed on

    package func archives(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> [SignedArtifact] {
        try await base.archives(of: version, of: package, in: app)
    }

    package func addArchive(
        _ archive: SignedArtifact, blobs: [BlobRecord], audit: AuditEntry
    ) async throws(PlatformError) {
        try await base.addArchive(archive, blobs: blobs, audit: audit)
    }

    package func renewDemand(_ wishes: [PatchWish], at now: Timestamp) async throws(PlatformError) {
        try await base.renewDemand(wishes, at: now)
    }

    package var epoch: String { base.epoch }
    package func apps() async throws(PlatformError) -> [AppID] { try await base.apps() }

    package func channels(of app: AppID) async throws(PlatformError) -> [ChannelName] {
        try await base.channels(of: app)
    }

    package func packages(of app: AppID) async throws(PlatformError) -> [Package] { try await base.packages(of: app) }

    package func package(_ package: PackageID, in app: AppID) async throws(PlatformError) -> Package? {
        try await hooked(.package) { () throws(PlatformError) in try await base.package(package, in: app) }
    }

    package func declareChannel(
        _ channel: ChannelName, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.declareChannel(channel, of: app, audit: audit)
    }

    package func drawConfigVersion(of app: AppID, at now: Timestamp) async throws(PlatformError) {
        try await base.drawConfigVersion(of: app, at: now)
    }

    package func putPackage(_ package: Package, audit: AuditEntry) async throws(PlatformError) -> Bool {
        try await base.putPackage(package, audit: audit)
    }

    package func versions(of package: PackageID, in app: AppID) async throws(PlatformError) -> [VersionSummary] {
        try await base.versions(of: package, in: app)
    }

    package func releases(of package: PackageID, in app: AppID) async throws(PlatformError) -> [Release] {
        try await base.releases(of: package, in: app)
    }

    package func releases(on channel: ChannelName, in app: AppID) async throws(PlatformError) -> [Release] {
        try await base.releases(on: channel, in: app)
    }

    package func patches(
        to versions: [VersionString], of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> [Artifact] {
        try await hooked(.patches) { () throws(PlatformError) in
            try await base.patches(to: versions, of: package, in: app)
        }
    }

    package func recordActivations(of app: AppID, upTo instant: Timestamp) async throws(PlatformError) {
        try await base.recordActivations(of: app, upTo: instant)
    }

    package func keys(of app: AppID) async throws(PlatformError) -> [AppKey] {
        try await hooked(.keys) { () throws(PlatformError) in try await base.keys(of: app) }
    }

    package func keyFacts(of app: AppID, retired: Int, changes: Int) async throws(PlatformError) -> KeyFacts? {
        try await base.keyFacts(of: app, retired: retired, changes: changes)
    }

    package func retireKey(
        _ key: KeyID, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> AppKey? {
        try await base.retireKey(key, of: app, audit: audit)
    }

    package func retiredKeys(
        _ purpose: KeyPurpose, of app: AppID, last count: Int
    ) async throws(PlatformError) -> [AppKey] {
        try await base.retiredKeys(purpose, of: app, last: count)
    }

    package func changeRoot(
        to key: AppKey, saying change: RootChange, audit: AuditEntry
    ) async throws(PlatformError) {
        try await base.changeRoot(to: key, saying: change, audit: audit)
    }

    package func rootChanges(of app: AppID, last count: Int) async throws(PlatformError) -> [RootChange] {
        try await base.rootChanges(of: app, last: count)
    }

    package func addSignatures(to artifacts: [SignedArtifact]) async throws(PlatformError) {
        try await base.addSignatures(to: artifacts)
    }

    package func keyDocument(of app: AppID) async throws(PlatformError) -> SignedKeyDocument? {
        try await base.keyDocument(of: app)
    }

    package func createToken(
        name: String, role: Role, secretHash: SHA256Digest, audit: AuditEntry
    ) async throws(PlatformError) -> Token {
        try await base.createToken(name: name, role: role, secretHash: secretHash, audit: audit)
    }

    package func tokens() async throws(PlatformError) -> [Token] { try await base.tokens() }

    package func audit(
        before: Int64?, limit: Int
    ) async throws(PlatformError) -> [(id: Int64, entry: AuditEntry)] {
        try await base.audit(before: before, limit: limit)
    }

    package func recordAudit(_ entry: AuditEntry) async throws(PlatformError) { try await base.recordAudit(entry) }

    package func reportCounts(of package: PackageID, in app: AppID) async throws(PlatformError) -> [ReportCount] {
        try await base.reportCounts(of: package, in: app)
    }

    package func blobs() async throws(PlatformError) -> Set<SHA256Digest> { try await base.blobs() }
}
