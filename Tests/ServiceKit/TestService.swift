package import API
import Artifacts
package import Domain
package import Execution
package import Platform
import Store
package import TestKit

/// The service as the program puts it together, over a folder and with a clock that a test moves.
///
/// The app `default` is there, with the legacy key that all tests share: making one takes long.
package final class TestService: Sendable {
    package let folder: String
    package let clock: ManualClock
    package let log = RecordingLog()
    package let store: HookedStore
    package let blobs: any BlobStore
    package let cryptography: any Cryptography = OpenSSLCryptography()
    package let work: WorkExecutor
    package let services: Services
    package let application: APIApplication
    package let traffic = ManualTraffic()

    package static let publicURL = "https://larder.example"

    /// The legacy key of every test.
    package static let legacyPair: Result<LegacyPair, PlatformError> = Result { () throws(PlatformError) in
        try OpenSSLCryptography().makeLegacyPair()
    }

    /// A signing key of nobody's: the first of RFC 8032 §7.1, as PKCS #8.
    package static let signingPEM = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
        -----END PRIVATE KEY-----

        """.utf8)
    /// Its id.
    package static let signingKeyID = "21fe31dfa154a261"

    /// - Parameters:
    ///   - store: One that is open already, as after a restart.
    ///   - wallClock: What the service goes by instead of `clock`.
    ///   - blobs: Instead of those in the folder.
    ///   - parts: Instead of those in the folder.
    ///   - uploadLimits: Of uploads in parts; the program's own where there are none.
    ///   - workshop: Instead of the program's own.
    ///   - rateLimits: None, since tests ask more often than people.
    ///   - elapsed: What those go by.
    ///   - patchTimeLimit: For a patch that a device asked for.
    ///   - hasLegacyKey: Whether the app `default` gets the tests' own one.
    ///   - compressor: Instead of the libraries'.
    ///   - retention: What the pruner goes by.
    ///   - outside: Signs for keys that are not here.
    ///   - contentURL: Where uploaded pages have a host of their own.
    ///   - newestPackageAt: Whose newest archive is at `/@`.
    ///   - devicesSeen: Devices that are remembered.
    package init(
        in folder: String = ScratchDirectory.path, clock: ManualClock = ManualClock(),
        wallClock: (any WallClock)? = nil,
        store: HookedStore? = nil, blobs: (any BlobStore)? = nil, limits: PackageLimits = PackageLimits(),
        parts: (any PartStore)? = nil, uploadLimits: UploadLimits? = nil,
        workshop: any PackageWorkshop = ZipWorkshop(), hasLegacyKey: Bool = true,
        compressor: any TextCompressor = LibraryCompressor(),
        retention: RetentionPolicy = .standard, console: [ConsoleFile] = [], contentURL: String? = nil,
        newestPackageAt: String? = nil,
        rateLimits: RateLimits = .off,
        elapsed: @escaping @Sendable () -> Duration = { .zero }, patchTimeLimit: Duration = .seconds(60),
        outside: (any OutsideSigner)? = nil, devicesSeen: Int = DevicesSeen.defaultLimit
    ) async throws {
        self.folder = folder
        self.clock = clock
        let clock = wallClock ?? clock
        self.store =
            try store ?? HookedStore(SQLiteStore(opening: .file(folder + "/larder.sqlite")))
        let blobs = try blobs ?? DiskBlobStore(directory: folder)
        self.blobs = blobs
        work = WorkExecutor(label: "larder.test")
        let live = LiveApps(store: self.store, clock: clock, cryptography: cryptography)
        let keys = KeyRing(live: live, cryptography: cryptography, work: work, clock: clock, outside: outside)
        let archives = ArchiveMaker(
            live: live, keys: keys, blobs: blobs, workshop: workshop, cryptography: cryptography, work: work,
            clock: clock)
        let dialects = DialectKeeper(live: live, archives: archives, work: work, clock: clock)
        let catalogue = Catalogue(live: live, keys: keys, dialects: dialects, clock: clock)
        for app in try await self.store.apps() { try await keys.completeSignatures(of: app) }
        try await live.load()
        let builder = PatchBuilder(
            store: self.store, workshop: workshop, cryptography: cryptography, work: work)
        let uploads = ResumableUploads(
            parts: try parts ?? DiskPartStore(directory: folder), cryptography: cryptography, work: work, clock: clock,
            limits: uploadLimits ?? UploadLimits(uploadBytes: limits.uploadBytes))
        _ = try await uploads.load()
        let seen = DevicesSeen(live: live, store: self.store, clock: clock, work: work, limit: devicesSeen)
        services = Services(
            live: live, catalogue: catalogue,
            publisher: Publisher(
                live: live, keys: keys, blobs: blobs, workshop: workshop, cryptography: cryptography, work: work,
                clock: clock, limits: limits),
            uploads: uploads,
            archives: archives,
            releaser: Releaser(
                live: live, keys: keys, blobs: blobs, builder: builder, dialects: dialects, devicesSeen: seen,
                clock: clock),
            demandedPatches: DemandedPatches(
                live: live, keys: keys, blobs: blobs, builder: builder, clock: clock, timeLimit: patchTimeLimit),
            plannedPatches: PlannedPatches(live: live, keys: keys, blobs: blobs, builder: builder, clock: clock),
            presets: PresetKeeper(live: live, keys: keys, blobs: blobs, builder: builder, clock: clock),
            presetPacker: PresetPacker(
                live: live, keys: keys, archives: archives, blobs: blobs, workshop: workshop, work: work),
            keys: keys, tokens: TokenAuthority(store: self.store, cryptography: cryptography, clock: clock),
            reports: ReportIntake(store: self.store, clock: clock),
            pruner: Pruner(live: live, blobs: blobs, policy: retention, work: work, clock: clock),
            devicesSeen: seen,
            store: self.store, blobs: blobs,
            cryptography: cryptography, compressor: compressor, work: work, clock: clock, log: log)
        try await services.devicesSeen.load()
        guard let url = PublicURL(Self.publicURL) else { preconditionFailure("the tests' URL is one") }
        application = APIApplication(
            services: services, publicURL: url, contentURL: contentURL.flatMap { PublicURL($0) }, console: console,
            traffic: traffic, limits: rateLimits, newestPackageAt: newestPackageAt.flatMap { PackageID($0) },
            elapsed: elapsed)
        let isNew = try await catalogue.createApp(.default, by: .server)
        if isNew, hasLegacyKey {
            let pem = try Self.legacyPair.get().privatePEM ?? []
            _ = try await keys.importLegacy(pem: pem, of: try live.requireApp(.default), by: .server)
        }
    }

    package var live: LiveApps { services.live }
    package var archives: ArchiveMaker { services.archives }
    package var presets: PresetKeeper { services.presets }
    package var presetPacker: PresetPacker { services.presetPacker }
    package var demandedPatches: DemandedPatches { services.demandedPatches }
    package var plannedPatches: PlannedPatches { services.plannedPatches }
    package var catalogue: Catalogue { services.catalogue }
    package var publisher: Publisher { services.publisher }
    package var uploads: ResumableUploads { services.uploads }
    package var releaser: Releaser { services.releaser }
    package var keys: KeyRing { services.keys }
    package var tokens: TokenAuthority { services.tokens }
    package var reports: ReportIntake { services.reports }
    package var pruner: Pruner { services.pruner }
    package var devicesSeen: DevicesSeen { services.devicesSeen }

    /// The same store and folder, read anew: what the next process does.
    package func restarted() async throws -> TestService {
        try await TestService(in: folder, clock: clock, store: store)
    }
}
