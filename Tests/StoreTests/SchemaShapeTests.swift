import Store
import TestKit
import Testing

/// Tests that both kinds of database have the same tables, keys, indexes and triggers.
///
/// ``SchemaTests`` tests the conditions of rows on both. Only PostgreSQL has `leases` and `blob_removals`: a database of
/// SQLite has one server, which needs no agreement with others. Only SQLite has `report_filters` (decision 0074).
@Suite(.scratchDirectory, .databases)
struct SchemaShapeTests {
    private let sqlite: Database
    private let postgresql: Database

    init() throws {
        sqlite = try Database(DatabaseKind.sqlite.location())
        postgresql = try Database(DatabaseKind.postgresql.location())
    }

    /// The rows of both databases as texts.
    private func expectSame(
        _ sqlite: SQL, _ postgresql: SQL, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let first = Set(try self.sqlite.values(sqlite) as [String])
        let second = Set(try self.postgresql.values(postgresql) as [String])
        #expect(!first.isEmpty, sourceLocation: sourceLocation)
        #expect(first.subtracting(second) == [], "only in SQLite", sourceLocation: sourceLocation)
        #expect(second.subtracting(first) == [], "only in PostgreSQL", sourceLocation: sourceLocation)
    }

    @Test func `tables have the same columns, of which the same ones may be absent`() throws {
        try expectSame(
            """
            SELECT format('%s.%s %s%s', tables.name, columns.name,
                CASE columns.type WHEN 'INTEGER' THEN 'bigint' WHEN 'BLOB' THEN 'bytea' ELSE 'text' END,
                iif(columns."notnull" OR columns.pk, ' required', ''))
            FROM sqlite_schema AS tables JOIN pragma_table_xinfo(tables.name) AS columns
            WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%' AND tables.name NOT IN ('migrations', 'report_filters')
            """,
            """
            SELECT format('%s.%s %s%s', table_name, column_name, data_type,
                CASE is_nullable WHEN 'NO' THEN ' required' ELSE '' END)
            FROM information_schema.columns
            WHERE table_schema = 'public' AND table_name NOT IN ('migrations', 'last_numbers', 'leases', 'blob_removals')
            """)
    }

    @Test func `texts are compared by their bytes`() throws {
        let others: [String] = try postgresql.values(
            """
            SELECT table_name || '.' || column_name FROM information_schema.columns
            WHERE table_schema = 'public' AND table_name <> 'migrations' AND data_type = 'text'
                AND collation_name IS DISTINCT FROM 'C'
            """)
        #expect(others == [])
    }

    @Test func `columns have the same defaults`() throws {
        try expectSame(
            """
            SELECT format('%s.%s %s', tables.name, columns.name, replace(replace(dflt_value, 'X''', ''''), '''', ''))
            FROM sqlite_schema AS tables JOIN pragma_table_xinfo(tables.name) AS columns
            WHERE tables.type = 'table' AND dflt_value IS NOT NULL
            """,
            """
            SELECT format('%s.%s %s', table_name, column_name,
                regexp_replace(replace(column_default, '''\\x', ''''), '^''{0,1}([^'']*)''{0,1}(::[a-z]+){0,1}$', '\\1'))
            FROM information_schema.columns WHERE table_schema = 'public' AND column_default IS NOT NULL
            """)
    }

    @Test func `references are the same, and so are their actions`() throws {
        try expectSame(
            """
            SELECT child || '(' || group_concat("from") || ') -> ' || parent || '(' || group_concat("to") || ') ' || on_delete
            FROM (
                SELECT tables.name AS child, id, "table" AS parent, "from", "to", on_delete
                FROM sqlite_schema AS tables JOIN pragma_foreign_key_list(tables.name)
                WHERE tables.type = 'table' ORDER BY tables.name, id, seq
            ) GROUP BY child, id
            """,
            """
            SELECT conrelid::regclass || '(' || string_agg(own.attname, ',' ORDER BY place) || ') -> '
                || confrelid::regclass || '(' || string_agg(other.attname, ',' ORDER BY place) || ') '
                || CASE confdeltype WHEN 'c' THEN 'CASCADE' ELSE 'NO ACTION' END
            FROM pg_constraint
            CROSS JOIN LATERAL unnest(conkey, confkey) WITH ORDINALITY AS keys (own, other, place)
            JOIN pg_attribute AS own ON own.attrelid = conrelid AND own.attnum = keys.own
            JOIN pg_attribute AS other ON other.attrelid = confrelid AND other.attnum = keys.other
            WHERE contype = 'f' GROUP BY pg_constraint.oid
            """)
    }

    @Test func `keys and indexes have the same columns`() throws {
        try expectSame(
            """
            SELECT indexes.tbl || '(' || group_concat(columns.name) || ')' || iif(indexes."unique", ' unique', '')
                || iif(indexes.partial, ' partial', '')
            FROM (
                SELECT tables.name AS tbl, list.name AS name, list."unique", list.partial
                FROM sqlite_schema AS tables JOIN pragma_index_list(tables.name) AS list
                WHERE tables.type = 'table' AND tables.name NOT IN ('migrations', 'report_filters')
            ) AS indexes JOIN pragma_index_info(indexes.name) AS columns GROUP BY indexes.name
            UNION
            SELECT tables.name || '(' || columns.name || ') unique'
            FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
            WHERE tables.type = 'table' AND tables.name NOT IN ('migrations', 'report_filters') AND pk = 1
                AND (SELECT count(*) FROM pragma_table_info(tables.name) WHERE pk > 0) = 1
            """,
            """
            SELECT indrelid::regclass || '(' || string_agg(attname, ',' ORDER BY place) || ')'
                || CASE WHEN indisunique THEN ' unique' ELSE '' END
                || CASE WHEN indpred IS NOT NULL THEN ' partial' ELSE '' END
            FROM pg_index
            JOIN pg_class ON pg_class.oid = indrelid
            CROSS JOIN LATERAL unnest(indkey) WITH ORDINALITY AS keys (number, place)
            JOIN pg_attribute ON attrelid = indrelid AND attnum = keys.number
            WHERE relnamespace = 'public'::regnamespace AND relname NOT IN ('migrations', 'last_numbers', 'leases', 'blob_removals')
            GROUP BY indexrelid
            """)
    }

    @Test func `triggers have the same names, besides those that number rows and refuse to empty tables`() throws {
        try expectSame(
            "SELECT tbl_name || '.' || name FROM sqlite_schema WHERE type = 'trigger'",
            """
            SELECT tgrelid::regclass || '.' || tgname FROM pg_trigger
            WHERE NOT tgisinternal AND tgname NOT LIKE '%\\_numbered' AND tgname NOT LIKE '%\\_at\\_once'
            """)
    }
}
