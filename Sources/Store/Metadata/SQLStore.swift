package import Domain
import Execution

/// The metadata store on SQLite or PostgreSQL.
///
/// An actor on a thread of its own, because every call blocks: one connection, one call at a time, each in a
/// transaction. The extension named after a table's subject reads and writes its rows.
package actor SQLStore: MetadataStore {
    package nonisolated let epoch: String
    /// The number of the newest migration.
    package nonisolated let schema: Int64
    /// The result of encrypting private keys at the start.
    package nonisolated let keySealing: KeySealing
    /// The latest timeline that sessions with a server of PostgreSQL have found.
    nonisolated let timelines: LatestTimeline?
    let sealer: (any KeySealer)?
    /// The remembered texts; `nil` before the first batch of devices and after a failed one.
    var seenTexts: SeenTexts?
    /// The filters of stored reports and kept ids; `nil` before the first report.
    var reportFilters: ReportFilters?
    /// The times in which this server has changed apps without a pause.
    var changeStreaks: [AppID: ChangeStreak] = [:]
    let database: Database
    private nonisolated let executor = SerialWorkExecutor(label: "larder.metadata")

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens a database, migrates it to the newest schema, and encrypts its private keys.
    ///
    /// Throws `storageFailed`, with the remedy if the database is newer than the program, `storageUnavailable` if the
    /// server of PostgreSQL cannot be reached, `busy` if another server uses its database, `invalidRequest` if private
    /// keys are encrypted with another key, and `storageFull`. Blocks.
    package init(
        opening location: Database.Location, keys: KeyProtection = .none, cryptography: any Cryptography
    ) throws(PlatformError) {
        do {
            try self.init(Database(location), keys: keys, cryptography: cryptography)
        } catch {
            throw PlatformError(storing: error)
        }
    }

    /// Opens the database of the blobs in a data directory as ``init(opening:keys:cryptography:)`` does, and binds the two.
    ///
    /// Throws `conflict`, before it changes the database, if the directory belongs to another one.
    ///
    /// - Parameter hasLocalBlobs: Whether the blobs are in the directory, which then has all that the database refers to.
    package init(
        opening address: PostgreSQLAddress, for directory: DataDirectory, hasLocalBlobs: Bool = true,
        keys: KeyProtection, cryptography: any Cryptography
    ) throws(PlatformError) {
        do {
            let database = try Database(.postgreSQL(address))
            try database.requireNoMove()
            if hasLocalBlobs {
                try directory.requireBinding(to: database, at: address)
            } else {
                try directory.refuseOther(than: database, at: address)
            }
            try self.init(database, keys: keys, cryptography: cryptography)
            try directory.bind(to: address, epoch: epoch)
        } catch {
            throw PlatformError(storing: error)
        }
    }

    /// Takes ownership of an open database.
    package init(
        _ database: sending Database, migrator: Migrator = Migrator(), keys: KeyProtection = .none,
        cryptography: any Cryptography
    ) throws {
        database.cryptography = cryptography
        try database.requireNoMove()
        // The schema is read before another node can migrate it further.
        (epoch, schema) = try database.migrating {
            try migrator.migrate(database)
            try database.beginAuditChain(by: cryptography)
            let epoch: String? = try database.value("SELECT epoch FROM meta")
            guard let epoch else { throw DatabaseError.unreadable("meta", statement: "SELECT epoch FROM meta") }
            let schema: Int64? = try database.value("SELECT max(number) FROM migrations")
            try database.pinIdentity()
            return (epoch, schema ?? 0)
        }
        keySealing = try database.sealKeys(by: keys)
        sealer = keys.current
        timelines = database.timelines
        self.database = database
    }

    /// Throws unless the database can be used, or a newer server has migrated it: devices still get responses then.
    package func check() throws(PlatformError) {
        do {
            let _: String? = try database.transaction { try database.value("SELECT epoch FROM meta") }
        } catch let error as DatabaseError where error.code == .outdated {
            return
        } catch {
            throw PlatformError(storing: error)
        }
    }

    /// Runs `body` in a transaction and converts its errors to those of the platform.
    func transaction<Result>(_ body: (Database) throws -> Result) throws(PlatformError) -> Result {
        do {
            return try database.transaction {
                try database.requireFence()
                return try body(database)
            }
        } catch {
            throw PlatformError(storing: error)
        }
    }
}
