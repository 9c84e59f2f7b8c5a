package import Domain

extension SQLiteStore {
    package func numberResources(
        current: [ResourceID: SHA256Digest], coming: [ResourceID: SHA256Digest], of package: PackageID,
        on channel: ChannelName, in app: AppID
    ) throws(PlatformError) -> ResourceNumbers {
        try transaction { database in
            guard let number = try database.packageNumber(package, in: app) else {
                throw PlatformError(.packageNotFound, "There is no package \(package) in \(app).")
            }
            let ids = Set(current.keys).union(coming.keys)
            var numbering = ResourceNumbering(known: try database.numbers(of: ids, package: number, channel))
            let numbers = ResourceNumbers(
                current: numbering.assignCurrent(current), coming: numbering.assignComing(coming))
            for changed in numbering.changed {
                try database.execute(
                    """
                    INSERT INTO resource_numbers (package, channel, resource, number, digest, told, app)
                    VALUES (
                        \(number), \(channel), \(changed.id), \(changed.number), \(changed.digest), \(changed.isTold), \(app)
                    ) ON CONFLICT (package, channel, resource, number)
                    DO UPDATE SET told = excluded.told, digest = excluded.digest
                    """)
            }
            return numbers
        }
    }

    package func toldNumbers(
        of digests: [ResourceID: SHA256Digest], of package: PackageID, on channel: ChannelName, in app: AppID
    ) throws(PlatformError) -> [ResourceID: Int64] {
        try transaction { database in
            guard let number = try database.packageNumber(package, in: app) else { return [:] }
            let known = try database.numbers(of: Set(digests.keys), package: number, channel)
            let told = known.filter { $0.isTold && digests[$0.id] == $0.digest }.map { ($0.id, $0.number) }
            return Dictionary(told) { max($0, $1) }
        }
    }

    package func latestEvent(of package: PackageID, in app: AppID) throws(PlatformError) -> Int64 {
        try transaction { database in
            let number = try database.packageNumber(package, in: app)
            return try database.value(
                "SELECT sequence FROM events WHERE package = \(number) ORDER BY sequence DESC LIMIT 1") ?? 0
        }
    }

    package func latestActivation(
        of version: VersionString, of package: PackageID, on channel: ChannelName, in app: AppID
    ) throws(PlatformError) -> Int64? {
        try transaction { database in
            guard let number = try database.packageNumber(package, in: app) else { return nil }
            return try database.value(
                """
                SELECT activated_sequence FROM releases
                WHERE package = \(number) AND channel = \(channel) AND activated_sequence IS NOT NULL
                    AND version = \(try database.versionNumber(version, of: number))
                ORDER BY activated_sequence DESC LIMIT 1
                """)
        }
    }
}

extension Database {
    /// Every number of these resources.
    fileprivate func numbers(
        of ids: Set<ResourceID>, package: Int64, _ channel: ChannelName
    ) throws -> [ResourceNumber] {
        let list = JSON.array(ids.sorted().map { .string($0.text) })
        return try rows(
            """
            SELECT resource, number, digest, told FROM resource_numbers
            WHERE package = \(package) AND channel = \(channel) AND resource IN (SELECT value FROM json_each(\(list)))
            """
        ) { row in
            ResourceNumber(id: try row[0], number: try row[1], digest: try row[2], isTold: try row[3])
        }
    }
}
