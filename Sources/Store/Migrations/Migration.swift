import CEmbedded

/// One shipped step of the schema, which never changes.
package struct Migration: Sendable, Equatable {
    /// The number, from 1, which the schema has once the migration is applied.
    package let number: Int
    /// The name of the file.
    package let name: String
    package let script: String

    /// Returns `nil` unless the name is `NNNN_name.sql`.
    package init?(name: String, script: String) {
        let digits = name.prefix(4)
        guard digits.utf8.count == 4, name.dropFirst(4).first == "_", name.hasSuffix(".sql"), let number = Int(digits),
            number > 0
        else { return nil }
        self.number = number
        self.name = name
        self.script = script
    }

    /// The 64-bit FNV-1a of the script, which shows whether it is still the one that was applied.
    package var checksum: Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in script.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return Int64(bitPattern: hash)
    }

    /// The program's own migrations of SQLite by number.
    package static let embedded: [Migration] = {
        var count = 0
        return read(UnsafeBufferPointer(start: embedded_migrations(&count), count: count))
    }()

    private static let embeddedPostgreSQL: [Migration] = {
        var count = 0
        return read(UnsafeBufferPointer(start: embedded_postgresql_migrations(&count), count: count))
    }()

    /// Returns the program's own migrations of a kind of database by number.
    package static func embedded(for dialect: SQLDialect) -> [Migration] {
        switch dialect {
        case .sqlite: embedded
        case .postgreSQL: embeddedPostgreSQL
        }
    }

    private static func read(_ files: UnsafeBufferPointer<embedded_file>) -> [Migration] {
        files.map { file in
            let script = String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
            guard let migration = Migration(name: String(cString: file.name), script: script) else {
                preconditionFailure("an embedded migration has a name of another shape")
            }
            return migration
        }
    }
}
