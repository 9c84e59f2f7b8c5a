package import Domain
import Ground

extension SQLStore {
    package func numberResources(
        current: [ResourceID: SHA256Digest], coming: [ResourceID: SHA256Digest], recording list: ListHistory.Entry?,
        of package: PackageID, on channel: ChannelName, in app: AppID
    ) throws(PlatformError) -> ResourceNumbers {
        try transaction { database in
            guard let number = try database.packageNumber(package, in: app) else {
                throw PlatformError(.packageNotFound, "There is no package \(package) in \(app).")
            }
            let ids = Set(current.keys).union(coming.keys)
            let known = try database.numbers(of: ids, package: number, in: app)
            var numbering = ResourceNumbering(known: known, on: channel)
            let numbers = ResourceNumbers(
                current: numbering.assignCurrent(current), coming: numbering.assignComing(coming))
            try database.executeAll(
                numbering.changed.lazy.map { changed in
                    """
                    INSERT INTO resource_numbers (package, channel, resource, number, digest, told, app)
                    VALUES (
                        \(number), \(channel), \(changed.id), \(changed.number), \(changed.digest), \(changed.wasCurrent), \(app)
                    ) ON CONFLICT (package, channel, resource, number)
                    DO UPDATE SET told = excluded.told, digest = excluded.digest
                    """
                })
            if let list { try database.record(list, package: number, in: app) }
            return numbers
        }
    }

    package func currentNumbers(
        of digests: [ResourceID: SHA256Digest], of package: PackageID, on channel: ChannelName, in app: AppID
    ) throws(PlatformError) -> [ResourceID: Int64] {
        try transaction { database in
            guard let number = try database.packageNumber(package, in: app) else { return [:] }
            let known = try database.numbers(of: Set(digests.keys), package: number, in: app)
            return ResourceNumbering.current(digests, known: known, on: channel)
        }
    }

    package func latestEvent(of package: PackageID, in app: AppID) throws(PlatformError) -> Int64 {
        try transaction { database in
            let number = try database.packageNumber(package, in: app)
            return try database.value(
                "SELECT sequence FROM events WHERE package = \(number) ORDER BY sequence DESC LIMIT 1") ?? 0
        }
    }

    package func listHistory(of package: PackageID, in app: AppID) throws(PlatformError) -> ListHistory {
        try transaction { database in
            let number = try database.packageNumber(package, in: app)
            // Reads one row more than is kept, which shows whether there are more.
            let rows = try database.rows(
                """
                SELECT lists.channel, lists.sequence, current.version, coming.version, lists.naming
                FROM resource_lists AS lists
                JOIN versions AS current ON current.number = lists.current
                LEFT JOIN versions AS coming ON coming.number = lists.coming
                WHERE lists.package = \(number) AND lists.number IN (
                    SELECT number FROM (
                        SELECT number, row_number() OVER (PARTITION BY channel ORDER BY number DESC) AS age
                        FROM resource_lists WHERE package = \(number)) AS numbered
                    WHERE age <= \(Int64(ListHistory.maximumEntries) + 1))
                ORDER BY lists.number
                """
            ) { row in
                let naming: String? = try row[4]
                return ListHistory.Entry(
                    channel: try row[0], sequence: try row[1],
                    versions: ListedVersions(
                        current: try row[2], coming: try row[3], naming: naming.flatMap { NamingMark($0) }))
            }
            let channels = Dictionary(grouping: rows, by: \.channel)
            let entries = channels.values.flatMap { $0.suffix(ListHistory.maximumEntries) }
            let truncated = channels.filter { $0.value.count > ListHistory.maximumEntries }.keys
            return ListHistory(entries, truncated: Set(truncated))
        }
    }
}

extension Database {
    /// Returns all numbers of these resources, on any channel.
    fileprivate func numbers(
        of ids: Set<ResourceID>, package: Int64, in app: AppID
    ) throws -> [ResourceNumber] {
        let list = JSON.array(ids.sorted().map { .string($0.text) })
        return try rows(
            """
            SELECT resource, channel, number, digest, told FROM resource_numbers
            WHERE package = \(package) AND channel IN (SELECT name FROM channels WHERE app = \(app))
                AND resource IN \(dialect.texts(in: list))
            """
        ) { row in
            ResourceNumber(
                id: try row[0], channel: try row[1], number: try row[2], digest: try row[3], wasCurrent: try row[4])
        }
    }

    fileprivate func record(_ list: ListHistory.Entry, package: Int64, in app: AppID) throws {
        let current = try versionNumber(list.versions.current, of: package)
        let coming = try list.versions.coming.flatMap { try versionNumber($0, of: package) }
        try execute(
            """
            INSERT INTO resource_lists (app, package, channel, sequence, current, coming, naming)
            VALUES (
                \(app), \(package), \(list.channel), \(list.sequence), \(current), \(coming), \(list.versions.naming?.text)
            )
            """)
    }
}
