package import API
import Domain
import Execution
package import Platform

/// The assembled service over its adapters: state and background work are ready, and nothing runs yet.
///
/// Only this target knows all parts. The program and the tests use it alike.
package struct Composition: Sendable {
    package let services: Services
    package let improver: PatchImprover
    /// The watch over the metadata store; `nil` if the store is in the data directory.
    package let storeWatch: StoreWatch?
    package let pools: ThreadPools

    /// Removes expired uploads, completes signatures, and loads the state that devices get.
    package init(_ adapters: Adapters, settings: ServiceSettings, pools: ThreadPools = ThreadPools()) async throws {
        self.pools = pools
        let (store, blobs, workshop) = (adapters.store, adapters.blobs, adapters.workshop)
        let (cryptography, clock, log) = (adapters.cryptography, adapters.clock, adapters.log)
        let work = pools.work
        let stored = try await store.deviceSecret()
        let deviceIDs = DeviceIDs(settings.deviceIDForm, secret: settings.deviceIDSecret ?? stored, by: cryptography)
        let accepted = settings.acceptedDeviceIDFingerprint
        _ = try await store.settleDeviceSecret { old throws(PlatformError) in
            try .settled(after: old, by: deviceIDs, accepting: accepted, at: clock.now())
        }
        let live = LiveApps(
            store: store, resources: ResourceShelf(store: store, work: pools.resources), clock: clock,
            deviceIDs: deviceIDs, cryptography: cryptography, dialects: DialectList(settings.dialects),
            work: pools.views,
            changeLock: adapters.nodes?.store)
        let keys = KeyRing(
            live: live, store: store, cryptography: cryptography, work: work, clock: clock,
            outside: settings.outsideSigner)
        let archives = ArchiveMaker(
            live: live, store: store, keys: keys, blobs: blobs, workshop: workshop, cryptography: cryptography,
            work: work, clock: clock)
        let dialects = DialectKeeper(live: live, store: store, archives: archives, work: work, clock: clock)
        let catalogue = Catalogue(live: live, store: store, keys: keys, dialects: dialects, clock: clock)
        let uploads = ResumableUploads(
            parts: adapters.parts, tokens: store, cryptography: cryptography, work: work, clock: clock,
            limits: settings.uploadLimits, isShared: adapters.nodes != nil)
        let expired = try await uploads.load()
        if expired > 0 { log.write("uploads.swept", ["count": String(expired)]) }
        func builder(_ work: WorkExecutor) -> PatchBuilder {
            PatchBuilder(store: store, workshop: workshop, cryptography: cryptography, work: work)
        }
        let patient = builder(pools.patches)
        improver = PatchImprover(live: live, store: store, keys: keys, blobs: blobs, builder: patient, clock: clock)
        for app in try await store.apps() {
            do throws(PlatformError) { try await keys.completeSignatures(of: app) } catch {
                // Artifacts signed earlier are offered all the same; a later start signs the others.
                guard error.code == .signingFailed else { throw error }
                log.write("signing.failed", ["app": app.text, "cause": error.message])
            }
        }
        try await live.load()
        let contact = StoreContact()
        let tokens = TokenAuthority(
            store: store, cryptography: cryptography, clock: clock, isShared: adapters.nodes != nil)
        let hasher = PasswordHasher(
            cryptography: cryptography, work: pools.passwords, cost: settings.passwordCost)
        let attempts = SignInGuard(instant: adapters.instant)
        let directory = IssuerDirectory(
            client: adapters.issuerClient, work: pools.issuers, log: log, now: adapters.instant)
        let nodes = adapters.nodes.map { nodes in
            NodeServices(
                follower: ChangeFollower(
                    feed: nodes.feed, schema: nodes.schema, live: live, tokens: tokens, blobs: blobs,
                    contact: contact),
                lease: NodeLease(store: nodes.store, node: nodes.name, term: nodes.leaseTerm))
        }
        // The follower of changes knows it as well.
        storeWatch = adapters.isStoreRemote && nodes == nil ? StoreWatch(store, contact: contact) : nil
        let aggregator = ReportAggregator(store: store, work: pools.totals, clock: clock, log: log)
        let devicesSeen = DevicesSeen(
            live: live, store: store, deviceIDs: deviceIDs, clock: clock, work: pools.devices,
            limit: settings.devicesSeen)
        let webhookSender = WebhookSender(
            live: live, store: store, post: adapters.webhookPost, cryptography: cryptography, work: pools.webhooks,
            clock: clock, instant: adapters.instant)
        let releaser = Releaser(
            live: live, store: store, keys: keys, blobs: blobs, builder: builder(work), dialects: dialects,
            devicesSeen: devicesSeen, clock: clock)
        let statistics = ReportStatistics(store: store, aggregator: aggregator, work: pools.totals, clock: clock)
        services = Services(
            live: live,
            catalogue: catalogue,
            versions: VersionCatalogue(live: live, store: store, cryptography: cryptography, clock: clock),
            waivers: Waivers(live: live, store: store, cryptography: cryptography, clock: clock),
            content: ContentReader(store: store),
            builds: HostBuilds(live: live, store: store, cryptography: cryptography, clock: clock),
            deviceLists: DeviceLists(live: live, store: store, clock: clock),
            pageGrants: PageGrants(live: live, store: store, cryptography: cryptography, clock: clock),
            publisher: Publisher(
                live: live, store: store, keys: keys, blobs: blobs, workshop: workshop, cryptography: cryptography,
                work: work, clock: clock, limits: settings.limits),
            uploads: uploads,
            archives: archives,
            releaser: releaser,
            approvals: Approvals(
                live: live, store: store, releaser: releaser, devicesSeen: devicesSeen, clock: clock),
            requestedPatches: RequestedPatches(
                live: live, store: store, keys: keys, blobs: blobs, builder: patient, clock: clock,
                timeLimit: settings.patchTimeLimit),
            patchBackfill: PatchBackfill(
                live: live, store: store, keys: keys, blobs: blobs, builder: builder(pools.planned), clock: clock),
            presets: PresetKeeper(
                live: live, store: store, keys: keys, blobs: blobs, builder: builder(work), clock: clock),
            presetPacker: PresetPacker(
                live: live, store: store, keys: keys, archives: archives, blobs: blobs, workshop: workshop, work: work),
            keys: keys,
            grants: GrantIssuer(store: store, keys: keys, work: pools.grants),
            tokens: tokens,
            ciTrusts: CITrusts(
                store: store, tokens: tokens, directory: directory, cryptography: cryptography, work: work,
                clock: clock),
            users: Users(store: store, hasher: hasher, cryptography: cryptography, clock: clock, attempts: attempts),
            sessions: Sessions(
                store: store, hasher: hasher, cryptography: cryptography, clock: clock, attempts: attempts),
            commandLineSignIn: CommandLineSignIn(store: store, cryptography: cryptography, clock: clock),
            signInProviders: SignInProviders(store: store, directory: directory, clock: clock),
            providerSignIn: ProviderSignIn(
                store: store, directory: directory, client: adapters.issuerClient, issuerWork: pools.issuers,
                work: work,
                hasher: hasher, cryptography: cryptography, clock: clock, attempts: attempts, log: log),
            idempotencyKeys: IdempotencyKeys(store: store, cryptography: cryptography, clock: clock),
            auditLog: AuditLog(store: store),
            auditFollower: AuditFollower(live: live, store: store, clock: clock, instant: adapters.instant),
            webhooks: Webhooks(
                live: live, store: store, sender: webhookSender, post: adapters.webhookPost,
                cryptography: cryptography, clock: clock),
            webhookSender: webhookSender,
            reports: ReportIntake(
                store: store, spool: adapters.reportSpool, deviceIDs: deviceIDs, clock: clock,
                window: settings.reportWindow, log: log, stored: aggregator.wake),
            aggregator: aggregator,
            statistics: statistics,
            healthJudge: HealthJudge(
                live: live, store: store, releaser: releaser, statistics: statistics, clock: clock),
            pruner: Pruner(
                live: live, store: store, blobs: blobs, policy: settings.retention, work: work, clock: clock),
            devicesSeen: devicesSeen,
            devices: DeviceRecords(
                live: live, store: store, spool: adapters.reportSpool, devicesSeen: devicesSeen, deviceIDs: deviceIDs,
                cryptography: cryptography, clock: clock),
            deviceIDs: deviceIDs,
            nodes: nodes, contact: contact,
            blobs: blobs, cryptography: cryptography, compressor: adapters.compressor, work: work,
            pools: pools.requests, dialects: settings.dialects, clock: clock, log: log)
    }
}
