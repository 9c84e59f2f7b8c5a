/// The reason why a database cannot be migrated; the description contains the remedy.
package enum MigrationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A newer program has written the database.
    case newer(found: Int, known: Int)
    /// A migration differs from the one that was applied.
    case altered(name: String)
    /// The database has tables, but none of Larder's.
    case foreign

    package var description: String {
        switch self {
        case .newer(let found, let known):
            "The database has schema \(found), and this larder supports schemas up to \(known). Start the newer larder "
                + "that wrote it, or restore a backup from before the upgrade."
        case .altered(let name):
            "The database was made with a different \(name) than this larder has. Start the larder that made it; "
                + "migrations must not be edited once they have been applied."
        case .foreign:
            "The database was not made by larder. Choose another data directory or database."
        }
    }
}
