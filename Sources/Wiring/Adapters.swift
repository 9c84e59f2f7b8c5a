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
    package var workshop: any PackageWorkshop = ZipWorkshop()
    package var compressor: any TextCompressor = LibraryCompressor()
    package var cryptography: any Cryptography = OpenSSLCryptography()

    package init(
        store: any MetadataStore, blobs: any BlobStore, parts: any PartStore, clock: any WallClock, log: any Log
    ) {
        self.store = store
        self.blobs = blobs
        self.parts = parts
        self.clock = clock
        self.log = log
    }

    /// Opens a data directory: migrates the data and removes the blobs that an earlier process left unreferenced.
    ///
    /// Blocks.
    ///
    /// - Parameter database: The database of the metadata; `nil` for the one in the data directory.
    package init(
        opening directory: DataDirectory, database: PostgreSQLAddress?, keys: KeyProtection, clock: any WallClock,
        log: any Log
    ) async throws {
        let location = database.map { Database.Location.postgreSQL($0) } ?? .file(directory.databasePath)
        let store = try SQLStore(opening: location, keys: keys)
        Self.logKeySealing(store.keySealing, isSealing: keys.current != nil, log)
        let known = try await store.blobs()
        if let database {
            try directory.claim(for: database, epoch: store.epoch, known: known)
            log.write("database.opened", ["address": database.description])
        }
        let blobs = try DiskBlobStore(directory: directory.path)
        let swept = try blobs.sweep(keeping: known)
        if swept > 0 { log.write("blobs.swept", ["count": String(swept)]) }
        self.init(
            store: store, blobs: blobs, parts: try DiskPartStore(directory: directory.path), clock: clock, log: log)
    }

    private static func logKeySealing(_ sealing: KeySealing, isSealing: Bool, _ log: any Log) {
        if sealing.sealed > 0 { log.write("keys.sealed", ["count": String(sealing.sealed)]) }
        if let cause = sealing.remains { log.write("keys.remain", ["cause": cause]) }
        guard !isSealing else { return }
        log.write(
            "configuration.warning",
            [
                "what": "private keys are stored in plain form: anyone who can read the database can sign; set "
                    + "--key-file"
            ])
    }
}
