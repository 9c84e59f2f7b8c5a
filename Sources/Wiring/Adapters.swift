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

    /// Opens a data directory: migrates the data and removes what an earlier process left unfinished.
    ///
    /// Removes unreferenced blobs only if the metadata are in the directory: an earlier state of a database in
    /// PostgreSQL refers to fewer blobs than the present one (decision 0062). Blocks.
    ///
    /// - Parameter address: The database of the metadata; `nil` for the one in the data directory.
    package init(
        opening directory: DataDirectory, database address: PostgreSQLAddress?, keys: KeyProtection,
        clock: any WallClock, log: any Log
    ) async throws {
        let store =
            if let address {
                try SQLStore(opening: address, for: directory, keys: keys)
            } else {
                try SQLStore(opening: .file(directory.databasePath), keys: keys)
            }
        Self.logKeySealing(store.keySealing, isSealing: keys.current != nil, log)
        let blobs = try DiskBlobStore(directory: directory.path)
        if let address {
            log.write("database.opened", ["address": address.description])
            try blobs.removeStaged()
        } else {
            let swept = try blobs.sweep(keeping: try await store.blobs())
            if swept > 0 { log.write("blobs.swept", ["count": String(swept)]) }
        }
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
