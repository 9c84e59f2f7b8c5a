package import Domain
import Execution

/// Metadata in SQLite.
///
/// An actor on a thread of its own, because every call blocks: one connection, one call at a time, each in a
/// transaction. Rows of a table are read and written in the extension named after its subject.
package actor SQLiteStore: MetadataStore {
    package nonisolated let epoch: String
    /// How private halves were found at the start, and what was done about it.
    package nonisolated let keySealing: KeySealing
    let sealer: (any KeySealer)?
    /// `nil` until devices are noted, and after a batch that failed.
    var seenTexts: SeenTexts?
    private let database: Database
    private nonisolated let executor = SerialWorkExecutor(label: "larder.metadata")

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens a database, bringing an older one to the newest schema, and its private halves under the key.
    ///
    /// Throws `storageFailed`, whose message says what to do where the database is newer than the program,
    /// `invalidRequest` where private halves are sealed and the key is not the one, and `storageFull`. Blocks.
    package init(opening location: Database.Location, keys: KeyProtection = .none) throws(PlatformError) {
        do {
            try self.init(Database(location), keys: keys)
        } catch {
            throw PlatformError(storing: error)
        }
    }

    /// Takes over an open database.
    package init(_ database: sending Database, migrator: Migrator = Migrator(), keys: KeyProtection = .none) throws {
        try migrator.migrate(database)
        let epoch: String? = try database.value("SELECT epoch FROM meta")
        guard let epoch else { throw SQLiteError.unreadable("meta", statement: "SELECT epoch FROM meta") }
        self.epoch = epoch
        keySealing = try database.sealKeys(by: keys)
        sealer = keys.current
        self.database = database
    }

    package func check() throws(PlatformError) {
        let _: String? = try transaction { try $0.value("SELECT epoch FROM meta") }
    }

    /// Runs `body` in a transaction; what it throws comes out in the vocabulary of the platform.
    func transaction<Result>(_ body: (Database) throws -> Result) throws(PlatformError) -> Result {
        do {
            return try database.transaction { try body(database) }
        } catch {
            throw PlatformError(storing: error)
        }
    }
}
