/// The bound values of a statement in PostgreSQL's binary format.
struct PostgreSQLParameters {
    /// The types; 0 for `NULL`, whose type the server infers.
    private(set) var types: [UInt32] = []
    /// The number of bytes of each value; negative for `NULL`.
    private var lengths: [Int32] = []
    private var bytes: [UInt8] = []

    /// Throws `unstorable` for a text that contains the character U+0000.
    init(_ values: [SQLValue], of statement: String) throws(DatabaseError) {
        types.reserveCapacity(values.count)
        lengths.reserveCapacity(values.count)
        for value in values {
            switch value {
            case .null: append(0, -1)
            case .integer(let integer):
                append(PostgreSQLType.int8.rawValue, 8)
                withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
            case .text(let text):
                guard SQLDialect.postgreSQL.canStore(text) else { throw .unstorable(statement: statement) }
                append(PostgreSQLType.text.rawValue, Int32(text.utf8.count))
                bytes.append(contentsOf: text.utf8)
            case .blob(let blob):
                append(PostgreSQLType.bytea.rawValue, Int32(blob.count))
                bytes.append(contentsOf: blob)
            }
        }
        // An empty value needs an address, since a null pointer means `NULL`.
        bytes.append(0)
    }

    private mutating func append(_ type: UInt32, _ length: Int32) {
        types.append(type)
        lengths.append(length)
    }

    /// Calls `body` with the arrays that libpq takes: addresses, lengths and formats, all of them binary.
    func withArrays<Result>(
        _ body: (_ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> Result
    ) -> Result {
        bytes.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { buffer in
                var offset = 0
                var values: [UnsafePointer<CChar>?] = []
                values.reserveCapacity(lengths.count)
                for length in lengths {
                    values.append(length < 0 ? nil : buffer.baseAddress.map { $0 + offset })
                    offset += Int(max(0, length))
                }
                return body(values, lengths.map { max(0, $0) }, Array(repeating: 1, count: lengths.count))
            }
        }
    }
}
