package import Domain
import Ground

extension SQLStore {
    package func versions(of package: PackageID, in app: AppID) throws(PlatformError) -> [VersionSummary] {
        try transaction { database in
            try database.summaries(
                where: "versions.package = \(try database.packageNumber(package, in: app))")
        }
    }

    package func versions(
        of package: PackageID, in app: AppID, _ query: VersionQuery
    ) throws(PlatformError) -> VersionPage {
        try transaction { database in
            guard let number = try database.packageNumber(package, in: app) else {
                return VersionPage(versions: [], end: nil)
            }
            var conditions: SQL = "versions.package = \(number)"
            if let after = query.after {
                conditions = "\(conditions) AND versions.number \(query.isNewestFirst ? "<" : ">" as SQL) \(after)"
            }
            if let prefix = query.prefix?.lowercased() {
                conditions = "\(conditions) AND substr(folded, 1, length(\(prefix))) = \(prefix)"
            }
            if let isRetired = query.isRetired {
                let retired: SQL = isRetired ? "retirements.time IS NOT NULL" : "retirements.time IS NULL"
                conditions = "\(conditions) AND \(retired)"
            }
            let limit = max(0, query.limit)
            let rows = try database.numberedSummaries(
                where: conditions, isNewestFirst: query.isNewestFirst, limit: limit + 1)
            let page = rows.prefix(limit)
            return VersionPage(
                versions: page.map(\.summary), end: rows.count > limit ? page.last?.number : nil)
        }
    }

    package func summary(
        of version: VersionString, of package: PackageID, in app: AppID
    ) throws(PlatformError) -> VersionSummary? {
        try transaction { database in
            guard let number = try database.versionNumber(version, of: package, in: app) else { return nil }
            return try database.summaries(where: "versions.number = \(number)").first
        }
    }

    package func version(
        _ version: VersionString, of package: PackageID, in app: AppID
    ) throws(PlatformError) -> Version? {
        try transaction { database in
            guard let number = try database.versionNumber(version, of: package, in: app) else { return nil }
            let tree = Tree(try database.files(of: number))
            return try database.row(
                """
                SELECT tree_hash, entry, url_prefix, app_config, file_map, coalesce(restored_at, created_at), resources,
                    min_app_version, max_app_version, apis, dependencies
                FROM versions LEFT JOIN prunings ON prunings.version = versions.number
                LEFT JOIN version_requirements ON version_requirements.version = versions.number
                WHERE number = \(number) AND NOT \(SQL.isPruned)
                """
            ) { row in
                Version(
                    app: app, package: package, version: version, tree: tree, treeHash: try row[0],
                    entry: try row[1], urlPrefix: try row[2],
                    uploaded: try UploadedDescriptors(appConfig: row[3], fileMap: row[4]),
                    requirements: try VersionRequirements(row),
                    resources: try Self.resources(row, column: 6), createdAt: try row[5])
            }
        }
    }

    private static func resources(_ row: borrowing Row, column: Int32) throws -> ResourceSettings? {
        guard let json: JSON = try row[column] else { return nil }
        guard let settings = try? ResourceSettings(stored: json) else { throw row.unreadable(column) }
        return settings
    }

    package func publication(
        of version: VersionString, of package: PackageID, in app: AppID
    ) throws(PlatformError) -> Publication? {
        try transaction { database in
            try database.row(
                """
                SELECT versions.version, identity, EXISTS (SELECT 1 FROM retirements WHERE version = versions.number),
                    CASE WHEN \(SQL.isPruned) THEN pruned_at END, min_app_version, max_app_version, apis, dependencies
                FROM versions LEFT JOIN prunings ON prunings.version = versions.number
                LEFT JOIN version_requirements ON version_requirements.version = versions.number
                WHERE package = \(try database.packageNumber(package, in: app)) AND folded = \(version.folded)
                """
            ) { row in
                Publication(
                    version: try row[0], identity: try row[1], isRetired: try row[2],
                    requirements: try VersionRequirements(row), prunedAt: try row[3])
            }
        }
    }
}

extension Database {
    /// Returns the number of a version's row, or `nil` if there is none; the version is case-sensitive.
    func versionNumber(_ version: VersionString, of package: PackageID, in app: AppID) throws -> Int64? {
        try packageNumber(package, in: app).flatMap { try versionNumber(version, of: $0) }
    }

    /// Returns the number of a version's row, or `nil` if there is none; the version is case-sensitive.
    ///
    /// - Parameter package: The number of the package's row.
    func versionNumber(_ version: VersionString, of package: Int64) throws -> Int64? {
        try value(
            """
            SELECT number FROM versions
            WHERE package = \(package) AND folded = \(version.folded) AND version = \(version)
            """)
    }

    /// Returns the versions in the order of publishing.
    fileprivate func summaries(where condition: SQL) throws -> [VersionSummary] {
        try numberedSummaries(where: condition, isNewestFirst: false, limit: nil).map(\.summary)
    }

    /// Returns versions with the numbers of their rows, in the order of publishing or the newest first.
    fileprivate func numberedSummaries(
        where condition: SQL, isNewestFirst: Bool, limit: Int?
    ) throws -> [(number: Int64, summary: VersionSummary)] {
        let order: SQL = isNewestFirst ? "versions.number DESC" : "versions.number"
        let bound: SQL = limit.map { "LIMIT \($0)" } ?? ""
        return try rows(
            """
            SELECT versions.version, tree_hash, file_count, total_size, artifacts.size,
                coalesce(restored_at, created_at),
                notes, git_commit, git_author, retirements.time, actor, reason, versions.number, (
                    SELECT min(patches.size) FROM artifacts AS patches
                    WHERE patches.version = versions.number AND patches.layout = \(Layout.appFolder) AND patches.base = (
                        SELECT max(bases.base) FROM artifacts AS bases
                        WHERE bases.version = versions.number AND bases.base < versions.number
                            AND bases.layout = \(Layout.appFolder)))
            FROM versions
            JOIN artifacts ON artifacts.version = versions.number
                AND base IS NULL AND layout = \(Layout.appFolder)
            LEFT JOIN version_details ON version_details.version = versions.number
            LEFT JOIN prunings ON prunings.version = versions.number
            LEFT JOIN retirements ON retirements.version = versions.number
            WHERE \(condition) ORDER BY \(order) \(bound)
            """
        ) { row in
            let time: Timestamp? = try row[9]
            let summary = VersionSummary(
                version: try row[0], treeHash: try row[1], fileCount: try row[2], totalSize: try row[3],
                archiveSize: try row[4], patchSize: try row[13], createdAt: try row[5],
                details: try VersionDetails(notes: row[6], commit: row[7], author: row[8]),
                retirement: try time.map { Retirement(time: $0, actor: try row[10], reason: try row[11]) })
            return (try row[12], summary)
        }
    }

    func files(of version: Int64) throws -> [TreeFile] {
        try rows(
            """
            SELECT path, digest, size, crc32, deflated_digest, deflated_size FROM files
            WHERE version = \(version)
            """
        ) { try TreeFile($0) }
    }
}

extension TreeFile {
    /// Reads the columns path, digest, size, CRC, and digest and size of the deflated stream.
    init(_ row: borrowing Row) throws {
        let deflated: SHA256Digest? = try row[4]
        let content = FileContent(
            digest: try row[1], size: try row[2], crc32: try row[3],
            deflated: try deflated.map { DeflatedStream(digest: $0, size: try row[5]) })
        self.init(path: try row[0], content: content)
    }
}

extension UploadedDescriptors {
    /// Reads the values of the columns `app_config` and `file_map`.
    fileprivate init(appConfig: JSON, fileMap: JSON) throws {
        self.init(
            appConfig: appConfig.members ?? [],
            fileMap: try (fileMap.members ?? []).map { member in
                guard let target = member.value.string else {
                    throw DatabaseError.unreadable("column file_map", statement: "SELECT file_map")
                }
                return Mapping(key: member.key, target: target)
            })
    }
}
