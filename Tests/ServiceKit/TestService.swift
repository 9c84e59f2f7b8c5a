package import API
import Artifacts
import Dialects
package import Domain
package import Execution
import Ground
import HTTP
package import Platform
import Store
package import TestKit
package import Wiring

/// The service in the composition of the program, over a folder and with a clock that a test moves.
///
/// The app `default` exists with the legacy key that all tests share, because creating one takes long.
package final class TestService: Sendable {
    package let folder: String
    package let clock: ManualClock
    /// The clock of the time limits of operators' streams and of webhooks.
    package let instant = ManualInstant()
    package let log = RecordingLog()
    package let store: HookedStore
    package let composition: Composition
    package let application: APIApplication
    package let traffic = ManualTraffic()

    package static let publicURL = "https://larder.example"

    /// The legacy key of all tests.
    package static let legacyPair: Result<LegacyPair, PlatformError> = Result { () throws(PlatformError) in
        try OpenSSLCryptography().makeLegacyPair()
    }

    /// The private signing key of tests, as PKCS #8: the first of RFC 8032 §7.1.
    package static let signingPEM = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
        -----END PRIVATE KEY-----

        """.utf8)
    /// The id of ``signingPEM``.
    package static let signingKeyID = "21fe31dfa154a261"

    /// - Parameters:
    ///   - store: An open store, as after a restart.
    ///   - wallClock: The clock of the service, if not `clock`.
    ///   - blobs: The blob store, if not that of the folder.
    ///   - parts: The store of partial uploads, if not that of the folder.
    ///   - uploadLimits: The limits of uploads in parts; by default the program's.
    ///   - workshop: The workshop, if not the program's.
    ///   - rateLimits: The rate limits; none by default, since tests send more requests than people.
    ///   - elapsed: The clock of the rate limits.
    ///   - patchTimeLimit: The time limit of a patch that a device requested.
    ///   - hasLegacyKey: Whether the app `default` gets the tests' legacy key.
    ///   - compressor: The compressor, if not that of the libraries.
    ///   - retention: The policy of the pruner.
    ///   - outside: The signer for keys outside of the server.
    ///   - contentURL: The URL of the separate host for uploaded pages.
    ///   - cdnURL: The URL of the network that sends blobs.
    ///   - newestPackageAt: The package whose newest archive is at `/@`.
    ///   - maxConnections: The limit of connections, most of which may wait on `/push`.
    ///   - devicesSeen: The number of devices that are remembered.
    ///   - deviceIDForm: The form in which device ids are stored.
    ///   - deviceIDSecret: The secret for hashed ids, if not that of `store`.
    ///   - passwordCost: The cost of hashes of passwords; low by default.
    ///   - nodes: The connection with other servers on the database of `store`.
    ///   - reportSpool: The spool of reports; none by default, as on SQLite.
    ///   - webhookPost: The sender of webhook requests, if not the program's.
    package init(
        in folder: String = ScratchDirectory.path, clock: ManualClock = ManualClock(),
        wallClock: (any WallClock)? = nil,
        store: HookedStore? = nil, blobs: (any BlobStore)? = nil, limits: PackageLimits = PackageLimits(),
        parts: (any PartStore)? = nil, uploadLimits: UploadLimits? = nil,
        workshop: any PackageWorkshop = ZipWorkshop(), hasLegacyKey: Bool = true,
        compressor: any TextCompressor = LibraryCompressor(),
        retention: RetentionPolicy = .standard, console: [ConsoleFile] = [], contentURL: String? = nil,
        cdnURL: String? = nil, newestPackageAt: String? = nil,
        maxConnections: Int = 65_536, rateLimits: RateLimits = .off,
        elapsed: @escaping @Sendable () -> Duration = { .zero },
        patchTimeLimit: Duration = RequestedPatches.defaultTimeLimit,
        outside: (any OutsideSigner)? = nil, devicesSeen: Int = DevicesSeen.defaultLimit,
        deviceIDForm: DeviceIDForm = .plain, deviceIDSecret: [UInt8]? = nil,
        acceptedDeviceIDFingerprint: String? = nil,
        passwordCost: ScryptCost = ScryptCost(logN: 4, r: 8, p: 1),
        nodes: NodeAdapters? = nil,
        reportSpool: (any ReportSpool)? = nil, webhookPost: (any WebhookPost)? = nil
    ) async throws {
        self.folder = folder
        self.clock = clock
        let clock = wallClock ?? clock
        if let store {
            self.store = store
        } else if hasLegacyKey, outside == nil, clock.now() == ManualClock().now() {
            self.store = HookedStore(try await TestDatabase.openWithApp(in: folder))
        } else {
            self.store = HookedStore(try TestDatabase.openEmpty(in: folder))
        }
        var settings = ServiceSettings(
            dialects: allDialects(newestPackageAt: newestPackageAt.flatMap { PackageID($0) }))
        settings.outsideSigner = outside
        settings.passwordCost = passwordCost
        settings.limits = limits
        settings.uploadLimits = uploadLimits ?? UploadLimits(uploadBytes: limits.uploadBytes)
        settings.devicesSeen = devicesSeen
        settings.deviceIDForm = deviceIDForm
        settings.deviceIDSecret = deviceIDSecret
        settings.acceptedDeviceIDFingerprint = acceptedDeviceIDFingerprint
        settings.retention = retention
        settings.patchTimeLimit = patchTimeLimit
        var adapters = Adapters(
            store: self.store, blobs: try blobs ?? DiskBlobStore(directory: folder),
            parts: try parts ?? DiskPartStore(directory: folder), clock: clock, log: log)
        adapters.instant = { [instant] in instant.now }
        adapters.issuerClient = HTTPIssuerClient(permitting: [AddressRange("127.0.0.0/8")].compactMap { $0 })
        adapters.workshop = workshop
        adapters.compressor = compressor
        adapters.nodes = nodes
        adapters.reportSpool = reportSpool
        if let webhookPost { adapters.webhookPost = webhookPost }
        composition = try await Composition(adapters, settings: settings)
        let services = composition.services
        try await services.devicesSeen.load()
        guard let url = PublicURL(Self.publicURL) else { preconditionFailure("the tests' URL is one") }
        application = APIApplication(
            services: services, publicURL: url, contentURL: contentURL.flatMap { PublicURL($0) },
            cdnURL: cdnURL.flatMap { PublicURL($0) }, console: console,
            facts: ServerFacts(
                version: "1.2.3", startedAt: clock.now(), database: (kind: "sqlite", schema: 1), dataDirectory: "/data",
                limits: [.init(name: "max-upload-bytes", value: 1_000, unit: "bytes")],
                certificateEnd: { Timestamp(milliseconds: 1_800_000_000_000) }
            ) { .init(free: 1, total: 2) }, traffic: traffic,
            maxConnections: maxConnections, limits: rateLimits, elapsed: elapsed)
        let isNew = try await catalogue.createApp(.default, by: .server)
        if isNew, hasLegacyKey {
            let pem = try Self.legacyPair.get().privatePEM ?? []
            _ = try await keys.importLegacy(pem: pem, of: try live.requireApp(.default), by: .server)
        }
    }

    package var services: Services { composition.services }
    package var work: WorkExecutor { services.work }
    package var blobs: any BlobStore { services.blobs }
    package var cryptography: any Cryptography { services.cryptography }
    package var live: LiveApps { services.live }
    package var archives: ArchiveMaker { services.archives }
    package var presets: PresetKeeper { services.presets }
    package var presetPacker: PresetPacker { services.presetPacker }
    package var requestedPatches: RequestedPatches { services.requestedPatches }
    package var patchBackfill: PatchBackfill { services.patchBackfill }
    package var catalogue: Catalogue { services.catalogue }
    package var versions: VersionCatalogue { services.versions }
    package var waivers: Waivers { services.waivers }
    package var builds: HostBuilds { services.builds }
    package var pageGrants: PageGrants { services.pageGrants }
    package var publisher: Publisher { services.publisher }
    package var uploads: ResumableUploads { services.uploads }
    package var releaser: Releaser { services.releaser }
    package var keys: KeyRing { services.keys }
    package var tokens: TokenAuthority { services.tokens }
    package var ciTrusts: CITrusts { services.ciTrusts }
    package var reports: ReportIntake { services.reports }
    package var aggregator: ReportAggregator { services.aggregator }
    package var healthJudge: HealthJudge { services.healthJudge }
    package var pruner: Pruner { services.pruner }
    package var webhooks: Webhooks { services.webhooks }
    package var approvals: Approvals { services.approvals }
    package var webhookSender: WebhookSender { services.webhookSender }
    package var nodes: NodeServices? { services.nodes }
    package var devicesSeen: DevicesSeen { services.devicesSeen }
    package var deviceIDs: DeviceIDs { services.deviceIDs }

    /// Returns a new service on the same store and folder, like the next process.
    package func restarted(
        deviceIDForm: DeviceIDForm = .plain, deviceIDSecret: [UInt8]? = nil, accepting check: String? = nil
    ) async throws -> TestService {
        try await TestService(
            in: folder, clock: clock, store: store, deviceIDForm: deviceIDForm, deviceIDSecret: deviceIDSecret,
            acceptedDeviceIDFingerprint: check)
    }
}
