import CSQLite
import Glibc

extension DatabaseError {
    /// Throws the error of a result code of SQLite, unless that means success.
    static func check(
        _ result: Int32, on connection: OpaquePointer?, statement: String
    ) throws(DatabaseError) {
        guard result != SQLITE_OK, result != SQLITE_ROW, result != SQLITE_DONE else { return }
        let extended = connection.map { sqlite3_extended_errcode($0) } ?? result
        let message = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(result))
        let systemError = connection.map { sqlite3_system_errno($0) } ?? 0
        let system = systemError == 0 ? "" : ", errno \(systemError)"
        throw DatabaseError(
            code: Code(extended, systemError), origin: "SQLite \(extended)\(system)", message: message,
            statement: statement)
    }
}

extension DatabaseError.Code {
    /// - Parameters:
    ///   - extended: The extended result code (sqlite.org/rescode.html).
    ///   - systemError: The `errno` of the failed system call; 0 without one.
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
