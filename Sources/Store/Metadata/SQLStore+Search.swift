package import Domain
import Ground

/// Queries over all packages of an app.
///
/// Each reads the numbers of its page first, and then the rows of these numbers: as a subquery, the numbers would make
/// SQLite read all rows.
extension SQLStore {
    package func releases(of app: AppID, _ query: ReleaseQuery) throws(PlatformError) -> [Release] {
        try transaction { database in
            guard let conditions = try database.conditions(of: query, in: app) else { return [] }
            let direction: SQL = query.isDescending ? "DESC" : "ASC"
            let order: SQL =
                query.order == .id ? "id \(direction)" : "\(query.order.column) \(direction), id \(direction)"
            // Most releases may meet such conditions, so that the first of them in the order are soon found. Conditions that few
            // meet cost a pass over the table. Those of one package are found by its index.
            let table: SQL = query.package == nil ? "releases \(database.dialect.unindexed)" : "releases"
            let ids: [Int64] = try database.values(
                "SELECT id FROM \(table) WHERE \(conditions) ORDER BY \(order) LIMIT \(max(0, query.limit))")
            let page = try database.releases(
                where: "releases.id IN \(database.dialect.integers(in: .array(ids.map { .integer($0) })))")
            return page.map { (position: query.position(of: $0), release: $0) }.sorted { one, other in
                let (one, other) = query.isDescending ? (other.position, one.position) : (one.position, other.position)
                return (one.key, one.id) < (other.key, other.id)
            }.map(\.release)
        }
    }

    package func versions(
        beginningWith prefix: String, in app: AppID, limit: Int
    ) throws(PlatformError) -> [FoundVersion] {
        try transaction { database in
            guard SQL.isPossibleInNames(prefix) else { return [] }
            let numbers: [Int64] = try database.values(
                """
                SELECT versions.number FROM versions \(database.dialect.unindexed)
                JOIN packages ON packages.number = versions.package
                LEFT JOIN prunings ON prunings.version = versions.number
                WHERE \(SQL.isVersion(beginningWith: prefix)) AND packages.app = \(app) AND NOT \(SQL.isPruned)
                ORDER BY versions.number DESC LIMIT \(max(0, limit))
                """)
            return try database.rows(
                """
                SELECT packages.id, versions.version, coalesce(restored_at, created_at) FROM versions
                JOIN packages ON packages.number = versions.package
                LEFT JOIN prunings ON prunings.version = versions.number
                WHERE versions.number IN \(database.dialect.integers(in: .array(numbers.map { .integer($0) })))
                ORDER BY versions.number DESC
                """
            ) { row in FoundVersion(package: try row[0], version: try row[1], publishedAt: try row[2]) }
        }
    }

    package func publishedCounts(
        of packages: [PackageID], in app: AppID
    ) throws(PlatformError) -> [PackageID: PublishedCount] {
        let ids = JSON.array(packages.map { .string($0.text) })
        return try transaction { database in
            let counts = try database.rows(
                """
                SELECT packages.id, counted.versions, coalesce(restored_at, created_at) FROM (
                    SELECT versions.package AS package, count(*) AS versions, max(versions.number) AS last
                    FROM packages JOIN versions ON versions.package = packages.number
                    LEFT JOIN prunings ON prunings.version = versions.number
                    WHERE packages.app = \(app) AND packages.id IN \(database.dialect.texts(in: ids))
                        AND NOT \(SQL.isPruned)
                    GROUP BY versions.package
                ) AS counted
                JOIN packages ON packages.number = counted.package
                JOIN versions ON versions.number = counted.last
                LEFT JOIN prunings ON prunings.version = counted.last
                """
            ) { row in
                (try row[0] as PackageID, PublishedCount(versions: try row[1], lastPublishedAt: try row[2]))
            }
            return Dictionary(uniqueKeysWithValues: counts)
        }
    }
}

extension Database {
    /// Returns the condition of a query's releases; `nil` if no release meets it.
    fileprivate func conditions(of query: ReleaseQuery, in app: AppID) throws -> SQL? {
        var conditions: SQL = "app = \(app)"
        if let package = query.package {
            guard let number = try packageNumber(package, in: app) else { return nil }
            // Without the app, whose index SQLite would use.
            conditions = "package = \(number)"
            if let version = query.version {
                conditions = "\(conditions) AND version = \(try versionNumber(version, of: number))"
            }
        }
        if let channel = query.channel { conditions = "\(conditions) AND channel = \(channel)" }
        if let text = query.text {
            guard SQL.isPossibleInNames(text) else { return nil }
            conditions = """
                \(conditions) AND (id = \(query.number?.value ?? 0)
                    OR package IN (SELECT number FROM packages WHERE app = \(app) AND \(SQL.isPackage(named: text)))
                    OR \(try isRelease(ofVersionBeginningWith: text)))
                """
        }
        if let state = query.state { conditions = "\(conditions) AND \(condition(state))" }
        if let after = query.after {
            let sign: SQL = query.isDescending ? "<" : ">"
            switch query.order {
            case .id: conditions = "\(conditions) AND id \(sign) \(after.id)"
            case .activeTime, .rank:
                conditions = "\(conditions) AND (\(query.order.column), id) \(sign) (\(after.key), \(after.id))"
            }
        }
        return conditions
    }

    /// The number of versions up to which releases are compared with all of them.
    package static let fewVersions = 200

    /// Returns the condition of releases whose version begins with a text.
    private func isRelease(ofVersionBeginningWith text: String) throws -> SQL {
        let numbers: [Int64] = try values(
            """
            SELECT versions.number FROM versions WHERE \(SQL.isVersion(beginningWith: text))
            LIMIT \(Self.fewVersions + 1)
            """)
        guard numbers.count > Self.fewVersions else {
            return "version IN \(dialect.integers(in: .array(numbers.map { .integer($0) })))"
        }
        // Most versions may begin with a text such as `1.`, so those of the first releases in the order are checked.
        return """
            EXISTS (
                SELECT 1 FROM versions
                WHERE versions.number = releases.version AND \(SQL.isVersion(beginningWith: text)))
            """
    }

    private func condition(_ state: ReleaseStateCondition) -> SQL {
        func ids(_ releases: [ReleaseID]) -> SQL {
            dialect.integers(in: .array(releases.map { .integer($0.value) }))
        }
        var condition: SQL = "id IN \(ids(state.open))"
        if state.isRolledBack { condition = "\(condition) OR course = 'rolled-back'" }
        if let open = state.notSuperseded {
            condition = "\(condition) OR course <> 'rolled-back' AND id NOT IN \(ids(open))"
        }
        return "(\(condition))"
    }
}

extension ReleaseQuery.Order {
    fileprivate var column: SQL {
        switch self {
        case .id: "id"
        case .activeTime: "active_time"
        case .rank: "rank"
        }
    }
}

extension SQL {
    /// Returns the condition of versions that begin with a text.
    fileprivate static func isVersion(beginningWith prefix: String) -> SQL {
        let first = prefix.lowercased()
        // No character of a version follows it.
        let last = first + "\u{10FFFF}"
        return "versions.folded >= \(first) AND versions.folded < \(last)"
    }
}
