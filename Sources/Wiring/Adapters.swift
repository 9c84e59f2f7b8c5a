import Artifacts
package import Domain
package import Store

/// The implementations of the ports.
package struct Adapters: Sendable {
    package let store: any MetadataStore
    package let blobs: any BlobStore
    package let parts: any PartStore
    package let clock: any WallClock
    package let log: any Log
    /// A clock that never jumps, for the time limits of operators' streams and of webhooks.
    package var instant: @Sendable () -> ContinuousClock.Instant = { .now }
    /// The connection with the other nodes of the installation; `nil` if there is one server.
    package var nodes: NodeAdapters?
    package var workshop: any PackageWorkshop = ZipWorkshop()
    package var compressor: any TextCompressor = LibraryCompressor()
    package var cryptography: any Cryptography = OpenSSLCryptography()
    /// The spool for reports that the store cannot take; `nil` if their requests fail.
    package var reportSpool: (any ReportSpool)?
    /// The sender of webhook requests; this one connects to public addresses only.
    package var webhookPost: any WebhookPost = HTTPWebhookPost()
    /// The client for issuers of identity tokens; this one connects to public addresses only.
    package var issuerClient: any IssuerClient = HTTPIssuerClient()
    /// Whether the metadata are on a server, which may become unreachable.
    package var isStoreRemote = false

    package init(
        store: any MetadataStore, blobs: any BlobStore, parts: any PartStore, clock: any WallClock, log: any Log
    ) {
        self.store = store
        self.blobs = blobs
        self.parts = parts
        self.clock = clock
        self.log = log
    }

    /// Opens a data directory: migrates the data and removes what an earlier process left unfinished.
    ///
    /// Removes unreferenced blobs only if the metadata and the blobs are in the directory: an earlier state of a database
    /// in PostgreSQL refers to fewer blobs than the present one (decision 0062). Blocks.
    ///
    /// - Parameters:
    ///   - address: The database of the metadata; `nil` for the one in the data directory.
    ///   - bucket: The place of the blobs; `nil` if they are in the directory.
    ///   - spoolBytes: The limit on the spool of reports, which only a database on a server has.
    package init(
        opening directory: DataDirectory, database address: PostgreSQLAddress?, keys: KeyProtection,
        bucket: BucketPlace? = nil, spoolBytes: Int = 0, clock: any WallClock, log: any Log
    ) async throws {
        if bucket == nil { try directory.requireLocalBlobs() }
        // Several servers may have their blobs in one bucket.
        let address = address?.with(bucket == nil ? .exclusive : .shared)
        let cryptography = OpenSSLCryptography()
        let store =
            if let address {
                try SQLStore(
                    opening: address, for: directory, hasLocalBlobs: bucket == nil, keys: keys,
                    cryptography: cryptography)
            } else {
                try SQLStore(opening: .file(directory.databasePath), keys: keys, cryptography: cryptography)
            }
        if let address { log.write("database.opened", ["address": address.description]) }
        let head = try await store.auditHead()
        log.write("audit.head", ["id": String(head.id), "hash": head.hash.hex])
        Self.logKeySealing(store.keySealing, isSealing: keys.current != nil, log)
        self.init(
            store: store,
            blobs: try await Self.openBlobs(of: store, in: directory, bucket, maySweep: address == nil, log),
            parts: try DiskPartStore(directory: directory.path), clock: clock, log: log)
        if let address, bucket != nil { nodes = try NodeAdapters(store, at: address) }
        guard address != nil else { return }
        isStoreRemote = true
        reportSpool = try Self.openSpool(in: directory, limit: spoolBytes, log)
    }

    private static func openSpool(
        in directory: DataDirectory, limit: Int, _ log: any Log
    ) throws(PlatformError) -> FileReportSpool {
        let spool = try FileReportSpool(in: directory.path, limit: limit)
        if spool.discarded > 0 {
            log.write(
                "reports.spool-torn",
                ["what": "the end of the spool was not acknowledged", "bytes": String(spool.discarded)])
        }
        if spool.losses.records > 0 {
            log.write(
                "reports.spool-damaged",
                [
                    "what": "damaged reports were skipped; they were acknowledged unless the machine crashed while it "
                        + "wrote them; the reports after them are kept",
                    "records": String(spool.losses.records), "count": String(spool.losses.reports),
                    "bytes": String(spool.losses.bytes),
                ])
        }
        let waiting = spool.figures.reports
        if waiting > 0 { log.write("reports.spool-found", ["count": String(waiting)]) }
        return spool
    }

    private static func openBlobs(
        of store: SQLStore, in directory: DataDirectory, _ bucket: BucketPlace?, maySweep: Bool,
        _ log: any Log
    ) async throws -> any BlobStore {
        if let bucket {
            let refersToBlobs = try await !store.blobs().isEmpty
            // A database of PostgreSQL may have several servers.
            return try bucket.open(
                for: directory, epoch: store.epoch, refersToBlobs: refersToBlobs, removals: maySweep ? nil : store,
                log: log)
        }
        let blobs = try DiskBlobStore(directory: directory.path)
        guard maySweep else {
            try blobs.removeStaged()
            return blobs
        }
        let swept = try blobs.sweep(keeping: try await store.blobs())
        if swept > 0 { log.write("blobs.swept", ["count": String(swept)]) }
        return blobs
    }

    private static func logKeySealing(_ sealing: KeySealing, isSealing: Bool, _ log: any Log) {
        if sealing.sealed > 0 { log.write("keys.sealed", ["count": String(sealing.sealed)]) }
        if let cause = sealing.remains { log.write("keys.remain", ["cause": cause]) }
        guard !isSealing else { return }
        log.write(
            "configuration.warning",
            [
                "what":
                    "private keys are stored in plain form, and so are URLs and secrets of webhooks: anyone who can "
                    + "read the database can sign; set --key-file"
            ])
    }
}
