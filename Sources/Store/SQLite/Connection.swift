import CSQLite

/// An open database file, closed at the end of its owner's life.
struct Connection: ~Copyable {
    let handle: OpaquePointer

    /// The time that a statement waits for another program that uses the file.
    static let busyMilliseconds: Int32 = 5000

    /// Opens an existing or new file, or `:memory:`.
    ///
    /// SQLite takes no mutexes: the owner uses the connection from one thread at a time.
    init(path: String) throws(DatabaseError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = sqlite3_open_v2(path, &opened, flags, nil)
        do throws(DatabaseError) {
            try DatabaseError.check(result, on: opened, statement: "open")
        } catch {
            sqlite3_close_v2(opened)
            throw error
        }
        guard let opened else { throw .unmet("there is no connection", statement: "open") }
        handle = opened
        sqlite3_busy_timeout(handle, Self.busyMilliseconds)
    }

    // This call closes the connection once its last statement is finalised.
    deinit { sqlite3_close_v2(handle) }
}
