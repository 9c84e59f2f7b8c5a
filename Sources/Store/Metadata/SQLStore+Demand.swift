package import Domain
package import Ground

extension SQLStore {
    package func addDemand(
        _ request: PatchRequest, patch: SignedArtifact?, at now: Timestamp
    ) throws(PlatformError) {
        try transaction { database in
            if let patch {
                try database.insert([BlobRecord(digest: patch.artifact.blob, size: patch.artifact.size)])
                try database.insert(patch, unlessThere: true)
            }
            guard let rows = try database.rows(of: request) else {
                throw PlatformError.noVersion(request.pair.target, of: request.package)
            }
            // Moves times of a clock that was ahead before the current request.
            try database.execute(
                """
                UPDATE patch_demand SET asked_at = \(now.adding(milliseconds: -1))
                WHERE version = \(rows.version) AND asked_at >= \(now)
                """)
            try database.execute(
                """
                INSERT INTO patch_demand (package, version, base, asked_at)
                VALUES (\(rows.package), \(rows.version), \(rows.base), \(now))
                ON CONFLICT (version, base) DO UPDATE SET asked_at = excluded.asked_at
                """)
            try database.change(request.app, at: now)
        }
    }

    package func renewDemand(_ requests: [PatchRequest], at now: Timestamp) throws(PlatformError) {
        try transaction { database in
            for request in requests {
                guard let rows = try database.rows(of: request) else { continue }
                try database.execute(
                    """
                    UPDATE patch_demand SET asked_at = \(now)
                    WHERE version = \(rows.version) AND base = \(rows.base)
                    """)
            }
        }
    }
}

extension Database {
    /// Returns the row numbers of a requested patch, or `nil` if one of its versions does not exist.
    fileprivate func rows(of request: PatchRequest) throws -> (package: Int64, version: Int64, base: Int64)? {
        guard let package = try packageNumber(request.package, in: request.app),
            let version = try versionNumber(request.pair.target, of: package),
            let base = try versionNumber(request.pair.base, of: package)
        else { return nil }
        return (package, version, base)
    }

    /// Returns the patches that devices requested, by their target version.
    ///
    /// - Parameter versions: The numbers of the versions' rows, in parentheses.
    func demand(of versions: SQL) throws -> [VersionKey: PatchDemand] {
        var bases: [VersionKey: [PatchDemand.Base]] = [:]
        _ = try rows(
            """
            SELECT packages.id, versions.version, bases.version, asked_at FROM patch_demand
            JOIN packages ON packages.number = patch_demand.package
            JOIN versions ON versions.number = patch_demand.version
            JOIN versions AS bases ON bases.number = patch_demand.base
            WHERE patch_demand.version IN \(versions) ORDER BY asked_at DESC, patch_demand.base DESC
            """
        ) { row in
            let key = VersionKey(package: try row[0], version: try row[1])
            bases[key, default: []].append(PatchDemand.Base(version: try row[2], askedAt: try row[3]))
        }
        return bases.mapValues { PatchDemand($0) }
    }
}
