/// The error of a failed call of a database: its code, its message, and the statement without its bound values.
package struct DatabaseError: Error, Sendable, Equatable, CustomStringConvertible {
    package let code: Code
    /// The database and its own code of the error, such as `SQLite 2067`.
    package let origin: String
    package let message: String
    package let statement: String

    /// The codes that callers distinguish.
    package enum Code: Sendable, Equatable {
        /// The disk of this machine is full.
        case full
        /// The disk of the database server is full.
        case serverFull
        case constraint
        /// Another program uses the file of the database.
        case busy
        /// A statement of a database server took too long, or waited too long for a lock.
        case timedOut
        case corrupt
        /// The database server cannot be reached, or the connection was lost.
        case unavailable
        /// Another server uses the database.
        case inUse
        /// The database cannot be used until an operator changes what the message names.
        case unusable
        /// A newer server has migrated the database since this one started.
        case outdated
        /// A text contains a character that the database cannot store.
        case unstorable
        case other
    }

    package var description: String { "\(origin): \(message) [\(statement)]" }
}

extension DatabaseError {
    /// Returns the error for a value in the database that the program cannot have written.
    static func unreadable(_ what: String, statement: String) -> DatabaseError {
        DatabaseError(code: .corrupt, origin: "data", message: "\(what) holds no valid value", statement: statement)
    }

    /// Returns the error for a text with the character U+0000, which PostgreSQL does not store.
    static func unstorable(statement: String) -> DatabaseError {
        DatabaseError(
            code: .unstorable, origin: "PostgreSQL", message: "a text contains the character U+0000",
            statement: statement)
    }

    /// Returns the error for a database that an operator has to change, as the message says.
    static func unusable(_ message: String, statement: String) -> DatabaseError {
        DatabaseError(code: .unusable, origin: "database", message: message, statement: statement)
    }

    /// Returns the error for a transaction of a server that is older than the database.
    static func outdated(statement: String) -> DatabaseError {
        DatabaseError(
            code: .outdated, origin: "database",
            message: "The database was migrated by a newer node, so this server only responds to devices. "
                + "Send the request to that node, or install its version here and restart this server.",
            statement: statement)
    }

    /// Returns the error for a request that the database did not fulfil although it reported no error.
    static func unmet(_ message: String, statement: String) -> DatabaseError {
        DatabaseError(code: .other, origin: "database", message: message, statement: statement)
    }
}
