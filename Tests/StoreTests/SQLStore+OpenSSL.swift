import Artifacts
import Domain
import Store

extension SQLStore {
    /// Opens a database as the program does.
    init(opening location: Database.Location, keys: KeyProtection = .none) throws(PlatformError) {
        try self.init(opening: location, keys: keys, cryptography: OpenSSLCryptography())
    }

    /// Opens a database of a data directory as the program does.
    init(
        opening address: PostgreSQLAddress, for directory: DataDirectory, keys: KeyProtection
    ) throws(PlatformError) {
        try self.init(opening: address, for: directory, keys: keys, cryptography: OpenSSLCryptography())
    }

    /// Takes ownership of an open database as the program does.
    init(
        _ database: sending Database, migrator: Migrator = Migrator(), keys: KeyProtection = .none
    ) throws {
        try self.init(database, migrator: migrator, keys: keys, cryptography: OpenSSLCryptography())
    }
}
