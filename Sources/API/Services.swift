package import Domain
package import Execution
package import Platform

/// The use cases and ports that the routes call; ``Composition`` of the target `Wiring` assembles them.
package struct Services: Sendable {
    package let live: LiveApps
    package let catalogue: Catalogue
    package let versions: VersionCatalogue
    package let waivers: Waivers
    package let content: ContentReader
    package let builds: HostBuilds
    package let deviceLists: DeviceLists
    package let pageGrants: PageGrants
    package let publisher: Publisher
    package let uploads: ResumableUploads
    package let archives: ArchiveMaker
    package let releaser: Releaser
    package let approvals: Approvals
    package let requestedPatches: RequestedPatches
    package let patchBackfill: PatchBackfill
    package let presets: PresetKeeper
    package let presetPacker: PresetPacker
    package let keys: KeyRing
    package let grants: GrantIssuer
    package let tokens: TokenAuthority
    package let ciTrusts: CITrusts
    package let users: Users
    package let sessions: Sessions
    package let commandLineSignIn: CommandLineSignIn
    package let signInProviders: SignInProviders
    package let providerSignIn: ProviderSignIn
    package let idempotencyKeys: IdempotencyKeys
    package let auditLog: AuditLog
    package let auditFollower: AuditFollower
    package let webhooks: Webhooks
    package let webhookSender: WebhookSender
    package let reports: ReportIntake
    package let aggregator: ReportAggregator
    package let statistics: ReportStatistics
    package let healthJudge: HealthJudge
    package let pruner: Pruner
    package let devicesSeen: DevicesSeen
    package let devices: DeviceRecords
    /// The names that the installation gives to devices.
    package let deviceIDs: DeviceIDs
    /// The services beside other nodes of the installation; `nil` if this is the only one.
    package let nodes: NodeServices?
    /// Whether the metadata store can be reached.
    package let contact: StoreContact
    package let blobs: any BlobStore
    package let fetcher: BlobFetcher
    package let cryptography: any Cryptography
    package let compressor: any TextCompressor
    package let work: WorkExecutor
    package let pools: RequestPools
    /// The client protocols besides `/config`.
    package let dialects: [any ServedDialect]
    package let clock: any WallClock
    package let log: any Log

    package init(
        live: LiveApps, catalogue: Catalogue, versions: VersionCatalogue, waivers: Waivers, content: ContentReader,
        builds: HostBuilds, deviceLists: DeviceLists, pageGrants: PageGrants, publisher: Publisher,
        uploads: ResumableUploads, archives: ArchiveMaker, releaser: Releaser, approvals: Approvals,
        requestedPatches: RequestedPatches, patchBackfill: PatchBackfill, presets: PresetKeeper,
        presetPacker: PresetPacker, keys: KeyRing, grants: GrantIssuer,
        tokens: TokenAuthority, ciTrusts: CITrusts, users: Users, sessions: Sessions,
        commandLineSignIn: CommandLineSignIn,
        signInProviders: SignInProviders, providerSignIn: ProviderSignIn,
        idempotencyKeys: IdempotencyKeys, auditLog: AuditLog, auditFollower: AuditFollower,
        webhooks: Webhooks,
        webhookSender: WebhookSender,
        reports: ReportIntake, aggregator: ReportAggregator,
        statistics: ReportStatistics, healthJudge: HealthJudge, pruner: Pruner, devicesSeen: DevicesSeen,
        devices: DeviceRecords, deviceIDs: DeviceIDs,
        nodes: NodeServices?, contact: StoreContact, blobs: any BlobStore, cryptography: any Cryptography,
        compressor: any TextCompressor, work: WorkExecutor,
        pools: RequestPools, dialects: [any ServedDialect], clock: any WallClock, log: any Log
    ) {
        self.live = live
        self.catalogue = catalogue
        self.versions = versions
        self.waivers = waivers
        self.content = content
        self.builds = builds
        self.deviceLists = deviceLists
        self.pageGrants = pageGrants
        self.publisher = publisher
        self.uploads = uploads
        self.archives = archives
        self.releaser = releaser
        self.approvals = approvals
        self.requestedPatches = requestedPatches
        self.patchBackfill = patchBackfill
        self.presets = presets
        self.presetPacker = presetPacker
        self.keys = keys
        self.grants = grants
        self.tokens = tokens
        self.ciTrusts = ciTrusts
        self.users = users
        self.sessions = sessions
        self.commandLineSignIn = commandLineSignIn
        self.signInProviders = signInProviders
        self.providerSignIn = providerSignIn
        self.idempotencyKeys = idempotencyKeys
        self.auditLog = auditLog
        self.auditFollower = auditFollower
        self.webhooks = webhooks
        self.webhookSender = webhookSender
        self.reports = reports
        self.aggregator = aggregator
        self.statistics = statistics
        self.healthJudge = healthJudge
        self.pruner = pruner
        self.devicesSeen = devicesSeen
        self.devices = devices
        self.deviceIDs = deviceIDs
        self.nodes = nodes
        self.contact = contact
        self.blobs = blobs
        fetcher = BlobFetcher(blobs: blobs, work: pools.blobs)
        self.cryptography = cryptography
        self.compressor = compressor
        self.work = work
        self.pools = pools
        self.dialects = dialects
        self.clock = clock
        self.log = log
    }

    /// The kill switch; it has no state of its own.
    package var killSwitch: KillSwitch {
        KillSwitch(
            live: live, publisher: publisher, releaser: releaser, catalogue: catalogue, versions: versions,
            cryptography: cryptography, clock: clock)
    }
}
