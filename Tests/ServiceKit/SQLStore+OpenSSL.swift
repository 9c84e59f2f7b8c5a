import Artifacts
package import Domain
package import Store

extension SQLStore {
    /// Opens a database as the program does.
    package init(opening location: Database.Location, keys: KeyProtection = .none) throws(PlatformError) {
        try self.init(opening: location, keys: keys, cryptography: OpenSSLCryptography())
    }

    /// Takes ownership of an open database as the program does.
    package init(_ database: sending Database) throws {
        try self.init(database, cryptography: OpenSSLCryptography())
    }
}
