package import Domain
package import Ground
import Synchronization

/// A store that runs a test's hook before or after one of its methods: to fail, to wait, or to move a clock.
package final class HookedStore: Sendable {
    package typealias Hook = @Sendable () async throws(PlatformError) -> Void

    /// The methods that have hooks.
    package enum Method: Hashable, Sendable {
        case changeReleases, changeWebhook, dueWebhooks, recordProgress, addDemand, adoptionDays, addKey, addPatches,
            addTotals, archive,
            artifactsLackingSignature, changeRoot,
            check, file, finishRequest,
            forget
        case forgetBlobs, insertReports, keys, makeRelease, noteAdoption, noteNamed, noteSeenDevices, numberResources
        case package, patches, publication, publish, removeSeenDevices, reportBacklog, reportSelection, retireKey,
            revokeToken, recordUses
        case saveKeyDocument, seenDevices, setHealthWatch, state, token, totals
        case unpackedItem, version
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
}

extension HookedStore: AppStore {
    package func createApp(_ app: AppID, keys: [AppKey], audit: AuditEntry) async throws(PlatformError) -> Bool {
        try await base.createApp(app, keys: keys, audit: audit)
    }
    package func channels(of app: AppID) async throws(PlatformError) -> [Channel] {
        try await base.channels(of: app)
    }
    package func channel(_ name: ChannelName, of app: AppID) async throws(PlatformError) -> Channel? {
        try await base.channel(name, of: app)
    }
    package func putChannel(
        _ channel: Channel, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.putChannel(channel, of: app, audit: audit)
    }
}

extension HookedStore: AppStateStore {
    package var epoch: String { base.epoch }
    package func check() async throws(PlatformError) {
        try await hooked(.check) { () throws(PlatformError) in try await base.check() }
    }
    package func apps() async throws(PlatformError) -> [AppID] { try await base.apps() }
    package func state(of app: AppID, at now: Timestamp) async throws(PlatformError) -> AppState {
        try await hooked(.state) { () throws(PlatformError) in try await base.state(of: app, at: now) }
    }
    package func state(of app: AppID, asOf instant: Timestamp) async throws(PlatformError) -> AppState {
        try await base.state(of: app, asOf: instant)
    }
    package func drawConfigVersion(of app: AppID, at now: Timestamp) async throws(PlatformError) {
        try await base.drawConfigVersion(of: app, at: now)
    }
    package func recordActivations(of app: AppID, upTo instant: Timestamp) async throws(PlatformError) {
        try await base.recordActivations(of: app, upTo: instant)
    }
    package func events(of app: AppID, last count: Int) async throws(PlatformError) -> [Event] {
        try await base.events(of: app, last: count)
    }
}

extension HookedStore: PackageStore {
    package func putPackage(_ package: Package, audit: AuditEntry) async throws(PlatformError) -> Bool {
        try await base.putPackage(package, audit: audit)
    }
    package func packages(of app: AppID) async throws(PlatformError) -> [Package] { try await base.packages(of: app) }
    package func package(_ package: PackageID, in app: AppID) async throws(PlatformError) -> Package? {
        try await hooked(.package) { () throws(PlatformError) in try await base.package(package, in: app) }
    }
}

extension HookedStore: VersionStore {
    package func versions(of package: PackageID, in app: AppID) async throws(PlatformError) -> [VersionSummary] {
        try await base.versions(of: package, in: app)
    }
    package func version(
        _ version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> Version? {
        try await hooked(.version) { () throws(PlatformError) in try await base.version(version, of: package, in: app) }
    }
    package func summary(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> VersionSummary? {
        try await base.summary(of: version, of: package, in: app)
    }
    package func publication(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> Publication? {
        try await hooked(.publication) { () throws(PlatformError) in
            try await base.publication(of: version, of: package, in: app)
        }
    }
    package func dependents(of package: PackageID, in app: AppID) async throws(PlatformError) -> [Dependent] {
        try await base.dependents(of: package, in: app)
    }
    package func shippedVersions(of package: PackageID, in app: AppID) async throws(PlatformError) -> [VersionString] {
        try await base.shippedVersions(of: package, in: app)
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
}

extension HookedStore: VersionDetailsStore {
    package func findings(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> LintResult? {
        try await base.findings(of: version, of: package, in: app)
    }
    package func setNotes(
        _ notes: String?, of version: VersionString, of package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) {
        try await base.setNotes(notes, of: version, of: package, in: app, audit: audit)
    }
    package func retire(
        _ version: VersionString, of package: PackageID, in app: AppID, _ retirement: Retirement, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.retire(version, of: package, in: app, retirement, audit: audit)
    }
    package func unretire(
        _ version: VersionString, of package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.unretire(version, of: package, in: app, audit: audit)
    }
}

extension HookedStore: WaiverStore {
    package func waivers(of package: PackageID, in app: AppID) async throws(PlatformError) -> [LintWaiver] {
        try await base.waivers(of: package, in: app)
    }
    package func putWaiver(
        _ waiver: LintWaiver, of package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.putWaiver(waiver, of: package, in: app, audit: audit)
    }
    package func removeWaiver(
        for code: LintFinding.Code, at path: TreePath?, of package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> LintWaiver? {
        try await base.removeWaiver(for: code, at: path, of: package, in: app, audit: audit)
    }
}

extension HookedStore: ArtifactStore {
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
    package func patches(
        to versions: [VersionString], of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> [Artifact] {
        try await hooked(.patches) { () throws(PlatformError) in
            try await base.patches(to: versions, of: package, in: app)
        }
    }
    package func addPatches(_ patches: [SignedArtifact], at now: Timestamp) async throws(PlatformError) {
        try await hooked(.addPatches) { () throws(PlatformError) in try await base.addPatches(patches, at: now) }
    }
    package func addDemand(
        _ request: PatchRequest, patch: SignedArtifact?, at now: Timestamp
    ) async throws(PlatformError) {
        try await hooked(.addDemand) { () throws(PlatformError) in
            try await base.addDemand(request, patch: patch, at: now)
        }
    }
    package func renewDemand(_ requests: [PatchRequest], at now: Timestamp) async throws(PlatformError) {
        try await base.renewDemand(requests, at: now)
    }
}

extension HookedStore: ContentStore {
    package func unpackedItem(
        at path: UnpackedPath, of version: VersionString, of package: PackageID, on channel: ChannelName, in app: AppID
    ) async throws(PlatformError) -> UnpackedItem? {
        try await hooked(.unpackedItem) { () throws(PlatformError) in
            try await base.unpackedItem(at: path, of: version, of: package, on: channel, in: app)
        }
    }
    package func file(
        named name: TreePath, of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> TreeFile? {
        try await hooked(.file) { () throws(PlatformError) in
            try await base.file(named: name, of: version, of: package, in: app)
        }
    }
    package func archive(
        of name: ReleaseArchiveName, in layout: Layout, on channel: ChannelName, of app: AppID
    ) async throws(PlatformError) -> Artifact? {
        try await hooked(.archive) { () throws(PlatformError) in
            try await base.archive(of: name, in: layout, on: channel, of: app)
        }
    }
}

extension HookedStore: ReleaseStore {
    package func releases(of package: PackageID, in app: AppID) async throws(PlatformError) -> [Release] {
        try await base.releases(of: package, in: app)
    }
    package func releases(on channel: ChannelName, in app: AppID) async throws(PlatformError) -> [Release] {
        try await base.releases(on: channel, in: app)
    }
    package func releases(ofSet set: ReleaseSetID?, in app: AppID) async throws(PlatformError) -> [Release] {
        try await base.releases(ofSet: set, in: app)
    }
    package func makeReleases(
        _ request: ReleaseRequest, patches: [SignedArtifact], blobs: [BlobRecord], audit: AuditEntry
    ) async throws(PlatformError) -> [Release] {
        try await hooked(.makeRelease) { () throws(PlatformError) in
            try await base.makeReleases(request, patches: patches, blobs: blobs, audit: audit)
        }
    }
    package func changeReleases(
        _ releases: [Release], steps: [ReleaseID: HealthStep], audit: AuditEntry
    ) async throws(PlatformError) {
        try await hooked(.changeReleases) { () throws(PlatformError) in
            try await base.changeReleases(releases, steps: steps, audit: audit)
        }
    }
}

extension HookedStore: PresetStore {
    package func presets(of app: AppID) async throws(PlatformError) -> [Preset] { try await base.presets(of: app) }
    package func addPreset(_ preset: Preset, patches: [SignedArtifact], audit: AuditEntry) async throws(PlatformError) {
        try await base.addPreset(preset, patches: patches, audit: audit)
    }
    package func removePreset(
        of build: VersionString, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.removePreset(of: build, in: app, audit: audit)
    }
}

extension HookedStore: DeviceListStore {
    package func deviceLists(of app: AppID) async throws(PlatformError) -> [DeviceListSummary] {
        try await base.deviceLists(of: app)
    }
    package func devices(on list: DeviceListName, of app: AppID) async throws(PlatformError) -> DeviceSet? {
        try await base.devices(on: list, of: app)
    }
    package func putDeviceList(
        _ list: DeviceListName, _ devices: DeviceSet, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.putDeviceList(list, devices, of: app, audit: audit)
    }
}

extension HookedStore: BuildStore {
    package func builds(of app: AppID) async throws(PlatformError) -> [RegisteredBuild] {
        try await base.builds(of: app)
    }
    package func putBuild(_ build: HostBuild, of app: AppID, audit: AuditEntry) async throws(PlatformError) {
        try await base.putBuild(build, of: app, audit: audit)
    }
    package func deleteBuild(_ appVersion: String, of app: AppID, audit: AuditEntry) async throws(PlatformError) {
        try await base.deleteBuild(appVersion, of: app, audit: audit)
    }
}

extension HookedStore: PageGrantStore {
    package func pageGrants(of app: AppID) async throws(PlatformError) -> [PageGrant] {
        try await base.pageGrants(of: app)
    }
    package func pageGrants(of app: AppID, about page: PageURL) async throws(PlatformError) -> [PageGrant] {
        try await base.pageGrants(of: app, about: page)
    }
    package func putPageGrant(_ grant: PageGrant, of app: AppID, audit: AuditEntry) async throws(PlatformError) -> Bool
    {
        try await base.putPageGrant(grant, of: app, audit: audit)
    }
    package func removePageGrant(
        _ name: GrantName, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> PageGrant? {
        try await base.removePageGrant(name, of: app, audit: audit)
    }
}

extension HookedStore: KeyStore {
    package func keys(of app: AppID) async throws(PlatformError) -> [AppKey] {
        try await hooked(.keys) { () throws(PlatformError) in try await base.keys(of: app) }
    }
    package func retiredKeys(
        _ purpose: KeyPurpose, of app: AppID, last count: Int
    ) async throws(PlatformError) -> [AppKey] {
        try await base.retiredKeys(purpose, of: app, last: count)
    }
    package func addKey(
        _ key: AppKey, signing artifacts: [SignedArtifact], audit: AuditEntry
    ) async throws(PlatformError) {
        try await hooked(.addKey) { () throws(PlatformError) in
            try await base.addKey(key, signing: artifacts, audit: audit)
        }
    }
    package func retireKey(_ key: KeyID, of app: AppID, audit: AuditEntry) async throws(PlatformError) -> AppKey? {
        try await hooked(.retireKey) { () throws(PlatformError) in
            try await base.retireKey(key, of: app, audit: audit)
        }
    }
    package func artifactsLackingSignature(by key: KeyID, of app: AppID) async throws(PlatformError) -> [Artifact] {
        try await hooked(.artifactsLackingSignature) { () throws(PlatformError) in
            try await base.artifactsLackingSignature(by: key, of: app)
        }
    }
    package func addSignatures(to artifacts: [SignedArtifact]) async throws(PlatformError) {
        try await base.addSignatures(to: artifacts)
    }
}

extension HookedStore: KeyDocumentStore {
    package func keyFacts(of app: AppID, retired: Int, changes: Int) async throws(PlatformError) -> KeyFacts? {
        try await base.keyFacts(of: app, retired: retired, changes: changes)
    }
    package func keyDocument(of app: AppID) async throws(PlatformError) -> SignedKeyDocument? {
        try await base.keyDocument(of: app)
    }
    package func saveKeyDocument(_ document: SignedKeyDocument, of app: AppID) async throws(PlatformError) {
        try await hooked(.saveKeyDocument) { () throws(PlatformError) in
            try await base.saveKeyDocument(document, of: app)
        }
    }
    package func changeRoot(to key: AppKey, saying change: RootChange, audit: AuditEntry) async throws(PlatformError) {
        try await hooked(.changeRoot) { () throws(PlatformError) in
            try await base.changeRoot(to: key, saying: change, audit: audit)
        }
    }
    package func rootChanges(of app: AppID, last count: Int) async throws(PlatformError) -> [RootChange] {
        try await base.rootChanges(of: app, last: count)
    }
}

extension HookedStore: TokenStore {
    package func createToken(
        _ draft: TokenDraft, secretHash: SHA256Digest, audit: AuditEntry
    ) async throws(PlatformError) -> Token {
        try await base.createToken(draft, secretHash: secretHash, audit: audit)
    }
    package func tokens() async throws(PlatformError) -> [Token] { try await base.tokens() }
    package func tokens(_ ids: [Int64]) async throws(PlatformError) -> [Token] { try await base.tokens(ids) }
    package func token(_ id: Int64) async throws(PlatformError) -> Token? { try await base.token(id) }
    package func changeToken(
        _ id: Int64, _ change: TokenChange, ifMatch precondition: IfMatchPrecondition?, audit: AuditEntry
    ) async throws(PlatformError) -> Token? {
        try await base.changeToken(id, change, ifMatch: precondition, audit: audit)
    }
    package func recordUses(_ uses: [Int64: Timestamp]) async throws(PlatformError) {
        try await hooked(.recordUses) { () throws(PlatformError) in try await base.recordUses(uses) }
    }
    package func token(secretHash: SHA256Digest) async throws(PlatformError) -> FoundToken? {
        try await hooked(.token) { () throws(PlatformError) in try await base.token(secretHash: secretHash) }
    }
    package func revokeToken(
        _ id: Int64, ifMatch precondition: IfMatchPrecondition?, audit: AuditEntry
    ) async throws(PlatformError) -> Token? {
        try await hooked(.revokeToken) { () throws(PlatformError) in
            try await base.revokeToken(id, ifMatch: precondition, audit: audit)
        }
    }
}

extension HookedStore: IdempotencyKeyStore {
    package func requestRecord(
        of key: IdempotencyKey, by holder: Principal, at now: Timestamp
    ) async throws(PlatformError) -> RequestRecord? {
        try await base.requestRecord(of: key, by: holder, at: now)
    }
    package func finishRequest(
        _ claim: RequestClaim, fingerprint: SHA256Digest, response: KeptResponse?
    ) async throws(PlatformError) {
        try await hooked(.finishRequest) { () throws(PlatformError) in
            try await base.finishRequest(claim, fingerprint: fingerprint, response: response)
        }
    }
}

extension HookedStore: AuditStore {
    package func audit(
        _ filter: AuditFilter, in range: AuditRange, limit: Int
    ) async throws(PlatformError) -> [RecordedAuditEntry] {
        try await base.audit(filter, in: range, limit: limit)
    }
    package func audit(
        of app: AppID, after id: Int64, limit: Int
    ) async throws(PlatformError) -> [RecordedAuditEntry] {
        try await base.audit(of: app, after: id, limit: limit)
    }
    package func firstAudit(after id: Int64, within times: ClosedRange<Timestamp>) async throws(PlatformError) -> Int64?
    {
        try await base.firstAudit(after: id, within: times)
    }
    package func auditHead() async throws(PlatformError) -> AuditHead { try await base.auditHead() }
    package func recordAudit(_ entry: AuditEntry) async throws(PlatformError) { try await base.recordAudit(entry) }
}

extension HookedStore: ReportStore {
    package func insertReports(
        _ reports: [Report], at now: Timestamp, keeping window: ReportWindow
    ) async throws(PlatformError) -> [ReportOutcome] {
        try await hooked(.insertReports) { () throws(PlatformError) in
            try await base.insertReports(reports, at: now, keeping: window)
        }
    }
    package func reportExtent() async throws(PlatformError) -> ReportExtent? { try await base.reportExtent() }
    package func reportCounts(of package: PackageID?, in app: AppID) async throws(PlatformError) -> [ReportCount] {
        try await base.reportCounts(of: package, in: app)
    }
}

extension HookedStore: BlobNameStore {
    package func advanceRetentionClock(to now: Timestamp, counting most: Int64) async throws(PlatformError) {
        try await base.advanceRetentionClock(to: now, counting: most)
    }
    package func noteNamed(_ blobs: Set<SHA256Digest>, of app: AppID) async throws(PlatformError) {
        try await hooked(.noteNamed) { () throws(PlatformError) in try await base.noteNamed(blobs, of: app) }
    }
    package func noteUnnamed(
        except named: Set<SHA256Digest>, of app: AppID, at instant: Timestamp
    ) async throws(PlatformError) {
        try await base.noteUnnamed(except: named, of: app, at: instant)
    }
}

extension HookedStore: RetentionStore {
    package func retentionFacts(of package: PackageID, in app: AppID) async throws(PlatformError) -> RetentionFacts {
        try await base.retentionFacts(of: package, in: app)
    }
    package func forget(_ removal: Removal, at now: Timestamp, audit: AuditEntry) async throws(PlatformError) {
        try await hooked(.forget) { () throws(PlatformError) in try await base.forget(removal, at: now, audit: audit) }
    }
    package func blobs() async throws(PlatformError) -> Set<SHA256Digest> { try await base.blobs() }
    package func unreferencedBlobs(
        in shard: UInt8, disregarding removal: Removal
    ) async throws(PlatformError) -> [BlobRecord] {
        try await base.unreferencedBlobs(in: shard, disregarding: removal)
    }
    package func forgetBlobs(
        in shard: UInt8, upTo count: Int, condemning: @Sendable (Set<SHA256Digest>) -> Set<SHA256Digest>
    ) async throws(PlatformError) -> [BlobRecord] {
        try await hooked(.forgetBlobs) { () throws(PlatformError) in
            try await base.forgetBlobs(in: shard, upTo: count, condemning: condemning)
        }
    }
}

extension HookedStore: ResourceStore {
    package func numberResources(
        current: [ResourceID: SHA256Digest], coming: [ResourceID: SHA256Digest], recording list: ListHistory.Entry?,
        of package: PackageID, on channel: ChannelName, in app: AppID
    ) async throws(PlatformError) -> ResourceNumbers {
        try await hooked(.numberResources) { () throws(PlatformError) in
            try await base.numberResources(
                current: current, coming: coming, recording: list, of: package, on: channel, in: app)
        }
    }
    package func currentNumbers(
        of digests: [ResourceID: SHA256Digest], of package: PackageID, on channel: ChannelName, in app: AppID
    ) async throws(PlatformError) -> [ResourceID: Int64] {
        try await base.currentNumbers(of: digests, of: package, on: channel, in: app)
    }
    package func latestEvent(of package: PackageID, in app: AppID) async throws(PlatformError) -> Int64 {
        try await base.latestEvent(of: package, in: app)
    }
    package func listHistory(of package: PackageID, in app: AppID) async throws(PlatformError) -> ListHistory {
        try await base.listHistory(of: package, in: app)
    }
}
