package import Domain
package import Ground

extension SQLStore {
    package func advanceRetentionClock(to now: Timestamp, counting most: Int64) throws(PlatformError) {
        try transaction { database in
            let seen: Timestamp? = try database.value("SELECT seen_at FROM retention_clock")
            if let seen {
                let passed = now.milliseconds - seen.milliseconds
                let lost = passed - min(max(passed, -most), most)
                if lost != 0 { try database.execute("UPDATE unreferenced_artifacts SET since = since + \(lost)") }
            }
            try database.execute(
                """
                INSERT INTO retention_clock ("only", seen_at) VALUES (1, \(now))
                ON CONFLICT ("only") DO UPDATE SET seen_at = excluded.seen_at
                """)
        }
    }

    package func noteNamed(_ blobs: Set<SHA256Digest>, of app: AppID) throws(PlatformError) {
        try transaction { database in
            for blob in blobs {
                try database.execute(
                    """
                    DELETE FROM unreferenced_artifacts WHERE artifact IN (
                        SELECT artifacts.number FROM artifacts JOIN packages ON packages.number = artifacts.package
                        WHERE blob = \(blob) AND packages.app = \(app))
                    """)
            }
        }
    }

    package func noteUnnamed(
        except named: Set<SHA256Digest>, of app: AppID, at instant: Timestamp
    ) throws(PlatformError) {
        try transaction { database in
            let unnoted = try database.rows(
                """
                SELECT artifacts.number, blob FROM artifacts
                JOIN packages ON packages.number = artifacts.package
                WHERE packages.app = \(app)
                    AND NOT EXISTS (SELECT 1 FROM unreferenced_artifacts WHERE artifact = artifacts.number)
                """
            ) { row in (number: try row[0] as Int64, blob: try row[1] as SHA256Digest) }
            let found = unnoted.filter { !named.contains($0.blob) }
            try database.executeAll(
                found.lazy.map { artifact in
                    "INSERT INTO unreferenced_artifacts (artifact, since) VALUES (\(artifact.number), \(instant))"
                })
        }
    }

    package func retentionFacts(of package: PackageID, in app: AppID) throws(PlatformError) -> RetentionFacts {
        try transaction { database in
            let number = try database.packageNumber(package, in: app)
            return RetentionFacts(
                versions: try database.retainedVersions(of: number),
                artifacts: try database.retainedArtifacts(of: number),
                releases: try database.releases(where: "releases.package = \(number)"),
                shipped: try database.shippedVersions(where: "preset_versions.package = \(number)")[package] ?? [])
        }
    }

    package func forget(_ removal: Removal, at now: Timestamp, audit: AuditEntry) throws(PlatformError) {
        try transaction { database in
            for version in removal.versions { try database.forget(version: version, at: now) }
            for artifact in removal.artifacts { try database.forgetArtifacts(where: "number = \(artifact)") }
            try database.append(audit)
        }
    }
}

extension Database {
    fileprivate func retainedVersions(of package: Int64?) throws -> [RetentionFacts.Version] {
        try rows(
            """
            SELECT number, versions.version, coalesce(restored_at, created_at), file_count FROM versions
            LEFT JOIN prunings ON prunings.version = versions.number
            WHERE package = \(package) AND NOT \(SQL.isPruned) ORDER BY number
            """
        ) { row in
            RetentionFacts.Version(
                number: try row[0], version: try row[1], publishedAt: try row[2], fileCount: try row[3])
        }
    }

    fileprivate func retainedArtifacts(of package: Int64?) throws -> [RetentionFacts.Artifact] {
        try rows(
            """
            SELECT artifacts.number, versions.version, bases.version, kind, layout, blob, size, since FROM artifacts
            JOIN versions ON versions.number = artifacts.version
            LEFT JOIN versions AS bases ON bases.number = artifacts.base
            LEFT JOIN unreferenced_artifacts ON unreferenced_artifacts.artifact = artifacts.number
            WHERE artifacts.package = \(package) ORDER BY artifacts.number
            """
        ) { row in
            RetentionFacts.Artifact(
                number: try row[0], version: try row[1], base: try row[2], kind: try row[3], layout: try row[4],
                blob: try row[5], size: try row[6], unreferencedSince: try row[7])
        }
    }

    fileprivate func forget(version: Int64, at now: Timestamp) throws {
        try forgetArtifacts(where: "version = \(version) OR base = \(version)")
        try execute("DELETE FROM patch_demand WHERE version = \(version) OR base = \(version)")
        try execute("DELETE FROM files WHERE version = \(version)")
        try execute(
            """
            INSERT INTO prunings (version, pruned_at) VALUES (\(version), \(now))
            ON CONFLICT (version) DO UPDATE SET pruned_at = excluded.pruned_at, restored_at = NULL
            """)
    }

    fileprivate func forgetArtifacts(where condition: SQL) throws {
        let artifacts = try rows("SELECT number, version, base FROM artifacts WHERE \(condition)") { row in
            (number: try row[0] as Int64, version: try row[1] as Int64, base: try row[2] as Int64?)
        }
        for artifact in artifacts {
            try execute("DELETE FROM artifact_signatures WHERE artifact = \(artifact.number)")
            try execute("DELETE FROM artifacts WHERE number = \(artifact.number)")
            // A request for a patch counts as fulfilled: the patch would not be built again.
            try execute(
                """
                DELETE FROM patch_demand WHERE version = \(artifact.version) AND base = \(artifact.base)
                    AND NOT EXISTS (
                        SELECT 1 FROM artifacts WHERE version = \(artifact.version) AND base = \(artifact.base))
                """)
        }
    }
}

extension SQL {
    /// Whether a row of `versions`, joined with an optional row of `prunings`, has lost its files.
    static let isPruned: SQL = "(prunings.pruned_at IS NOT NULL AND prunings.restored_at IS NULL)"
}
