import Domain
import Ground

/// The SQL of one kind of database, with the parts of statements in which the two differ.
///
/// All other statements are written so that both understand them.
package enum SQLDialect: Sendable, Equatable {
    case sqlite
    case postgreSQL
}

extension SQLDialect {
    /// Returns a subquery, in parentheses, with the texts of an array.
    func texts(in array: JSON) -> SQL {
        switch self {
        case .sqlite: "(SELECT value FROM json_each(\(array)))"
        case .postgreSQL: "(SELECT value FROM json_array_elements_text(\(array)::json))"
        }
    }

    /// Returns a subquery, in parentheses, with the integers of an array.
    func integers(in array: JSON) -> SQL {
        switch self {
        case .sqlite: "(SELECT value FROM json_each(\(array)))"
        case .postgreSQL: "(SELECT value::bigint FROM json_array_elements_text(\(array)::json))"
        }
    }

    /// Returns a table, for `FROM`, with the columns `key` and `value` of an object's members, whose values are texts.
    func members(of object: SQL) -> SQL {
        switch self {
        case .sqlite: "json_each(\(object))"
        case .postgreSQL: "json_each_text(\(object)::json)"
        }
    }

    /// Returns an aggregate: the text of an object with a member for each row.
    func object(ofKeys key: SQL, values value: SQL) -> SQL {
        switch self {
        case .sqlite: "json_group_object(\(key), \(value))"
        case .postgreSQL: "json_object_agg(\(key), \(value))"
        }
    }

    /// Returns the condition of a device's reports, which an index finds; SQLite's has the reports by segment.
    func isReport(of device: DeviceNames, in app: AppID) -> SQL {
        let plain = canStore(device.plain.text) ? device.plain.text : device.hashed.text
        let isOwn: SQL = "app = \(app) AND device IN (\(plain), \(device.hashed.text))"
        return switch self {
        case .sqlite:
            """
            number >> 16 IN (
                WITH RECURSIVE segments (segment) AS (
                    SELECT (SELECT min(number) FROM reports) >> 16
                    UNION ALL
                    SELECT segment + 1 FROM segments WHERE segment < (SELECT max(number) FROM reports) >> 16
                )
                SELECT segment FROM segments
            ) AND \(isOwn)
            """
        case .postgreSQL: isOwn
        }
    }

    /// Returns the condition of reports with consecutive numbers of one segment, which an index finds; that of SQLite has all
    /// columns of a report's identity.
    func isReport(from first: Int64, through last: Int64, of segment: Int64) -> SQL {
        switch self {
        case .sqlite: "number >> 16 = \(segment) AND number >= \(first) AND number <= \(last)"
        case .postgreSQL: "number >= \(first) AND number <= \(last)"
        }
    }

    /// The number of reports that a statement reads at once: PostgreSQL's library holds a whole result.
    var reportsPerRead: Int {
        switch self {
        case .sqlite: 65_536
        case .postgreSQL: 8_192
        }
    }

    /// The order of a device's reports, of which only some are read: the newest segments first, as far as that needs no sorting.
    var newestSegmentsFirst: SQL {
        switch self {
        case .sqlite: "ORDER BY number >> 16 DESC"
        case .postgreSQL: ""
        }
    }

    /// Returns the number of bytes of a text in UTF-8.
    func byteCount(of text: SQL) -> SQL {
        switch self {
        case .sqlite: "length(CAST(\(text) AS BLOB))"
        case .postgreSQL: "octet_length(\(text))"
        }
    }

    /// Returns the position of the first occurrence of bytes in others, counted from 1, or 0.
    func position(of bytes: SQL, in others: SQL) -> SQL {
        switch self {
        case .sqlite: "instr(\(others), \(bytes))"
        case .postgreSQL: "position(\(bytes)::bytea in \(others))"
        }
    }

    /// Returns the greater of two values.
    func greater(_ one: SQL, _ other: SQL) -> SQL {
        switch self {
        case .sqlite: "max(\(one), \(other))"
        case .postgreSQL: "greatest(\(one), \(other))"
        }
    }

    /// Returns the clause behind a table that requires an index, for a query whose plan must not depend on statistics.
    ///
    /// PostgreSQL has no such clause.
    func indexed(by index: SQL) -> SQL {
        switch self {
        case .sqlite: "INDEXED BY \(index)"
        case .postgreSQL: ""
        }
    }

    /// The clause behind a table that is read in the order of its primary key, for a query that reads only the first rows:
    /// SQLite would otherwise take all rows from an index and sort them.
    var unindexed: SQL {
        switch self {
        case .sqlite: "NOT INDEXED"
        case .postgreSQL: ""
        }
    }

    /// A statement after which the plans of a transaction use indexes; `nil` if a query names them itself.
    ///
    /// A plan is kept with its prepared statement, so one that was made while a table was small would go on reading all
    /// of it.
    var planSettings: SQL? {
        switch self {
        case .sqlite: nil
        case .postgreSQL: "SET LOCAL enable_seqscan = off"
        }
    }

    /// Returns a statement with the last id of a table whose ids are never used again.
    func lastNumber(of table: String) -> SQL {
        switch self {
        case .sqlite: "SELECT seq FROM sqlite_sequence WHERE name = \(table)"
        case .postgreSQL: "SELECT number FROM last_numbers WHERE name = \(table)"
        }
    }

    /// A statement after which the queries of a transaction are planned for their values; `nil` if a query names its
    /// index.
    ///
    /// A plan for any value reads the log in the order of ids, also for an action that it does not have.
    var valuePlans: SQL? {
        switch self {
        case .sqlite: nil
        case .postgreSQL: "SET LOCAL plan_cache_mode = force_custom_plan"
        }
    }

    /// Returns whether a column can hold a text: PostgreSQL stores no U+0000.
    func canStore(_ text: String) -> Bool {
        switch self {
        case .sqlite: true
        case .postgreSQL: !text.utf8.contains(0)
        }
    }

    /// A statement with the names of the tables of the database, in the schema in which new ones are created.
    var tableNames: SQL {
        switch self {
        case .sqlite: "SELECT name FROM sqlite_schema WHERE type = 'table'"
        case .postgreSQL: "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        }
    }

    /// The statement that creates the table of applied migrations.
    var migrationTable: SQL {
        switch self {
        case .sqlite:
            """
            CREATE TABLE IF NOT EXISTS migrations (
                number INTEGER PRIMARY KEY,
                name TEXT NOT NULL,
                checksum INTEGER NOT NULL
            ) STRICT
            """
        case .postgreSQL:
            """
            CREATE TABLE IF NOT EXISTS migrations (
                number bigint PRIMARY KEY,
                name text NOT NULL,
                checksum bigint NOT NULL
            )
            """
        }
    }
}
