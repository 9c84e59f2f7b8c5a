import CSQLite
import Glibc

/// The error of a failed call of SQLite: its code, its message, and the statement without its bound values.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
    package let code: Code
    /// The extended result code (sqlite.org/rescode.html).
    package let extendedCode: Int32
    package let message: String
    package let statement: String
    /// The `errno` of the failed system call; 0 without one.
    package let systemError: Int32

    /// The codes that callers distinguish.
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
    /// Throws the error of a result code, unless that means success.
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

    /// Returns the error for a value in the database that the program cannot have written.
    static func unreadable(_ what: String, statement: String) -> SQLiteError {
        SQLiteError(
            code: .corrupt, extendedCode: SQLITE_CORRUPT, message: "\(what) holds no valid value",
            statement: statement, systemError: 0)
    }

    /// Returns the error for a request that SQLite silently did not fulfil.
    static func unmet(_ message: String, statement: String) -> SQLiteError {
        SQLiteError(
            code: .other, extendedCode: SQLITE_ERROR, message: message, statement: statement, systemError: 0)
    }
}

extension SQLiteError.Code {
    fileprivate init(_ extended: Int32, _ systemError: Int32) {
        switch extended & 0xFF {
        case SQLITE_FULL: self = .full
        // A disk that fills up while a file, such as the WAL's index, is extended other than by writing.
        case SQLITE_IOERR where systemError == ENOSPC || systemError == EDQUOT: self = .full
        case SQLITE_CONSTRAINT: self = .constraint
        case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt
        default: self = .other
        }
    }
}
