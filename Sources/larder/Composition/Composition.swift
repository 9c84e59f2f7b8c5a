import API
import Artifacts
import CEmbedded
import Domain
import Execution
import Platform
import Store

/// The assembled service over one data directory.
///
/// Only this type knows all parts.
struct Composition {
    let services: Services
    let improver: PatchImprover
    /// The data directory, held as long as the process owns it.
    let directory: DataDirectory

    /// Migrates the data, removes the remains of an earlier process, and loads the state that devices get.
    init(
        directory: DataDirectory, configuration: ServeConfiguration, protection: KeyProtection, clock: any WallClock,
        log: any Log
    ) async throws {
        self.directory = directory
        let store = try SQLiteStore(opening: .file(directory.databasePath), keys: protection)
        Self.tell(of: store.keySealing, isSealing: protection.current != nil, log)
        let blobs = try DiskBlobStore(directory: directory.path)
        let swept = try blobs.sweep(keeping: try await store.blobs())
        if swept > 0 { log.write("blobs.swept", ["count": String(swept)]) }

        let cryptography = OpenSSLCryptography()
        let work = WorkExecutor(label: "larder.work")
        let workshop = ZipWorkshop()
        let live = LiveApps(
            store: store, clock: clock, cryptography: cryptography, dialects: DialectList(configuration.dialects))
        let keys = KeyRing(
            live: live, cryptography: cryptography, work: work, clock: clock, outside: configuration.signer)
        let archives = ArchiveMaker(
            live: live, keys: keys, blobs: blobs, workshop: workshop, cryptography: cryptography, work: work,
            clock: clock)
        let dialects = DialectKeeper(live: live, archives: archives, work: work, clock: clock)
        let catalogue = Catalogue(live: live, keys: keys, dialects: dialects, clock: clock)
        let uploads = ResumableUploads(
            parts: try DiskPartStore(directory: directory.path), cryptography: cryptography, work: work, clock: clock,
            limits: configuration.uploadLimits)
        let expired = try await uploads.load()
        if expired > 0 { log.write("uploads.swept", ["count": String(expired)]) }
        func builder(_ work: WorkExecutor) -> PatchBuilder {
            PatchBuilder(store: store, workshop: workshop, cryptography: cryptography, work: work)
        }
        let patient = builder(WorkExecutor(label: "larder.patches", threads: 1, isBackground: true))
        improver = PatchImprover(live: live, keys: keys, blobs: blobs, builder: patient, clock: clock)
        for app in try await store.apps() {
            do throws(PlatformError) { try await keys.completeSignatures(of: app) } catch {
                // Artifacts signed earlier are offered all the same; a later start signs the others.
                guard error.code == .signingFailed else { throw error }
                log.write("signing.failed", ["app": app.text, "cause": error.message])
            }
        }
        try await live.load()
        let devicesSeen = DevicesSeen(
            live: live, store: store, clock: clock,
            work: WorkExecutor(label: "larder.devices", threads: 1, isBackground: true),
            limit: configuration.devicesSeen)
        services = Services(
            live: live,
            catalogue: catalogue,
            publisher: Publisher(
                live: live, keys: keys, blobs: blobs, workshop: workshop, cryptography: cryptography, work: work,
                clock: clock, limits: configuration.limits),
            uploads: uploads,
            archives: archives,
            releaser: Releaser(
                live: live, keys: keys, blobs: blobs, builder: builder(work), dialects: dialects,
                devicesSeen: devicesSeen, clock: clock),
            demandedPatches: DemandedPatches(live: live, keys: keys, blobs: blobs, builder: patient, clock: clock),
            plannedPatches: PlannedPatches(
                live: live, keys: keys, blobs: blobs,
                builder: builder(WorkExecutor(label: "larder.planned", threads: 1, isBackground: true)), clock: clock),
            presets: PresetKeeper(live: live, keys: keys, blobs: blobs, builder: builder(work), clock: clock),
            presetPacker: PresetPacker(
                live: live, keys: keys, archives: archives, blobs: blobs, workshop: workshop, work: work),
            keys: keys,
            tokens: TokenAuthority(store: store, cryptography: cryptography, clock: clock),
            reports: ReportIntake(store: store, clock: clock, window: configuration.reportWindow),
            pruner: Pruner(live: live, blobs: blobs, policy: configuration.retention, work: work, clock: clock),
            devicesSeen: devicesSeen,
            blobs: blobs, cryptography: cryptography, compressor: LibraryCompressor(), work: work,
            clock: clock, log: log)
    }

    private static func tell(of sealing: KeySealing, isSealing: Bool, _ log: any Log) {
        if sealing.sealed > 0 { log.write("keys.sealed", ["count": String(sealing.sealed)]) }
        if let cause = sealing.remains { log.write("keys.remain", ["cause": cause]) }
        guard !isSealing else { return }
        log.write(
            "configuration.warning",
            ["what": "private keys are kept as they are: whoever reads the data directory can sign; see --key-file"])
    }

    /// Returns the embedded files of the console.
    static func consoleFiles() -> [ConsoleFile] {
        var count = 0
        guard let files = embedded_console(&count) else { return [] }
        return UnsafeBufferPointer(start: files, count: count).map { file in
            ConsoleFile(
                path: String(cString: file.name),
                bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
        }
    }
}
