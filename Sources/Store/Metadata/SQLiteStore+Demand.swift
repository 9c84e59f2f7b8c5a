package import Domain

extension SQLiteStore {
    package func addDemand(
        of pair: VersionPair, of package: PackageID, in app: AppID, patch: SignedArtifact?, at now: Timestamp
    ) throws(PlatformError) {
        try transaction { database in
            if let patch {
                try database.insert([BlobRecord(digest: patch.artifact.blob, size: patch.artifact.size)])
                try database.insert(patch, unlessThere: true)
            }
            guard let number = try database.packageNumber(package, in: app),
                let version = try database.versionNumber(pair.target, of: number)
            else { throw PlatformError.noVersion(pair.target, of: package) }
            guard let base = try database.versionNumber(pair.base, of: number) else {
                throw PlatformError.noVersion(pair.base, of: package)
            }
            try database.execute(
                """
                INSERT INTO patch_demand (package, version, base, asked_at)
                VALUES (\(number), \(version), \(base), \(now))
                ON CONFLICT (version, base) DO UPDATE SET asked_at = max(asked_at, excluded.asked_at)
                """)
            try database.change(app, at: now)
        }
    }

    package func renewDemand(
        of pair: VersionPair, of package: PackageID, in app: AppID, at now: Timestamp
    ) throws(PlatformError) {
        try transaction { database in
            guard let number = try database.packageNumber(package, in: app),
                let version = try database.versionNumber(pair.target, of: number),
                let base = try database.versionNumber(pair.base, of: number)
            else { return }
            try database.execute(
                """
                UPDATE patch_demand SET asked_at = max(asked_at, \(now)) WHERE version = \(version) AND base = \(base)
                """)
        }
    }
}

extension Database {
    /// The bases that devices asked for patches from, the one asked for last first.
    ///
    /// - Parameter versions: The numbers of the rows that the patches lead to, in brackets.
    func demandedBases(of versions: SQL) throws -> [DemandedTarget: [VersionString]] {
        var bases: [DemandedTarget: [VersionString]] = [:]
        _ = try rows(
            """
            SELECT packages.id, versions.version, bases.version FROM patch_demand
            JOIN packages ON packages.number = patch_demand.package
            JOIN versions ON versions.number = patch_demand.version
            JOIN versions AS bases ON bases.number = patch_demand.base
            WHERE patch_demand.version IN \(versions) ORDER BY asked_at DESC, patch_demand.base DESC
            """
        ) { row in
            bases[DemandedTarget(package: try row[0], version: try row[1]), default: []].append(try row[2])
        }
        return bases
    }
}

/// What patches that devices asked for lead to.
struct DemandedTarget: Hashable {
    let package: PackageID
    let version: VersionString
}
