/// The advisory locks of PostgreSQL by which servers exclude each other, each for one schema.
///
/// The values are the first keys of the locks; the second key is a hash of the schema, and of the app for `changes`.
enum AdvisoryLock: Int64 {
    /// The use of the database: exclusively, or shared by several nodes. The letters `lard`.
    case owner = 0x6c61_7264
    /// A transaction among several nodes. The letters `lart`.
    case transactions = 0x6c61_7274
    /// The application of migrations among several nodes. The letters `larm`.
    case migrations = 0x6c61_726d
    /// The changes of one app among several nodes. The letters `larc`.
    case changes = 0x6c61_7263

    /// The expression that waits for the lock of a schema until the end of the transaction.
    var taking: String { "pg_advisory_xact_lock(\(rawValue), hashtext(current_schema()))" }
}
