import CSQLite
import Glibc

/// A call of SQLite that failed: its code, what it says, and the statement without the values bound to it.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
    package let code: Code
    /// The extended result code (sqlite.org/rescode.html).
    package let extendedCode: Int32
    package let message: String
    package let statement: String
    /// `errno` of the system call that failed; 0 where none did.
    package let systemError: Int32

    /// What the callers tell apart.
    package enum Code: Sendable, Equatable {
        case full
        case constraint
        case busy
        case corrupt
        case other
    }

    package var description: String {
        let system = systemError == 0 ? "" : ", errno \(systemError)"
        return "SQLite \(extendedCode)\(system): \(message) [\(statement)]"
    }
}

extension SQLiteError {
    /// Turns a result code into an error, unless it is one of success.
    static func check(
        _ result: Int32, on connection: OpaquePointer?, statement: String
    ) throws(SQLiteError) {
        guard result != SQLITE_OK, result != SQLITE_ROW, result != SQLITE_DONE else { return }
        let extended = connection.map { sqlite3_extended_errcode($0) } ?? result
        let message = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(result))
        let systemError = connection.map { sqlite3_system_errno($0) } ?? 0
        throw SQLiteError(
            code: Code(extended, systemError), extendedCode: extended, message: message, statement: statement,
            systemError: systemError)
    }

    /// A value in the database that the program cannot have written.
    static func unreadable(_ what: String, statement: String) -> SQLiteError {
        SQLiteError(
            code: .corrupt, extendedCode: SQLITE_CORRUPT, message: "\(what) holds no valid value",
            statement: statement, systemError: 0)
    }

    /// What SQLite does without an error, but not as it was told.
    static func unmet(_ message: String, statement: String) -> SQLiteError {
        SQLiteError(
            code: .other, extendedCode: SQLITE_ERROR, message: message, statement: statement, systemError: 0)
    }
}

extension SQLiteError.Code {
    fileprivate init(_ extended: Int32, _ systemError: Int32) {
        switch extended & 0xFF {
        case SQLITE_FULL: self = .full
        // A full disk that shows while a file is extended other than by writing, such as the WAL's index.
        case SQLITE_IOERR where systemError == ENOSPC || systemError == EDQUOT: self = .full
        case SQLITE_CONSTRAINT: self = .constraint
        case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt
        default: self = .other
        }
    }
}
