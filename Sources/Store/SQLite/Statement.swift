import CSQLite

/// A prepared statement, finalised at the end of its owner's life.
struct Statement: ~Copyable {
    let handle: OpaquePointer
    let text: String
    private let connection: OpaquePointer

    init(_ text: String, on connection: borrowing Connection) throws(DatabaseError) {
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let result = sqlite3_prepare_v3(connection.handle, text, -1, flags, &prepared, nil)
        try DatabaseError.check(result, on: connection.handle, statement: text)
        guard let prepared else { throw .unmet("there is no statement", statement: text) }
        handle = prepared
        self.text = text
        self.connection = connection.handle
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds the values in the order of their question marks.
    func bind(_ values: [SQLValue]) throws(DatabaseError) {
        for (offset, value) in values.enumerated() {
            let index = Int32(offset + 1)
            let result: Int32
            switch value {
            case .null: result = sqlite3_bind_null(handle, index)
            case .integer(let integer): result = sqlite3_bind_int64(handle, index, integer)
            case .text(let text):
                result = text.withCString { larder_bind_text(handle, index, $0, Int32(text.utf8.count)) }
            case .blob(let bytes):
                result = bytes.withUnsafeBytes { bytes in
                    bytes.baseAddress.map { larder_bind_blob(handle, index, $0, Int32(bytes.count)) }
                        ?? sqlite3_bind_zeroblob(handle, index, 0)
                }
            }
            try DatabaseError.check(result, on: connection, statement: text)
        }
    }

    /// Moves to the next row; returns `false` after the last.
    func step() throws(DatabaseError) -> Bool {
        let result = sqlite3_step(handle)
        try DatabaseError.check(result, on: connection, statement: text)
        return result == SQLITE_ROW
    }

    /// Resets the statement for another use, and releases the values.
    func reset() {
        // The result is the error of the last step, which has been thrown.
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }
}
