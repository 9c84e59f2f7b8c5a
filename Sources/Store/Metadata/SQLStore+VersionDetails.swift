package import Domain
import Ground

extension SQLStore {
    package func dependents(of package: PackageID, in app: AppID) throws(PlatformError) -> [Dependent] {
        try transaction { database in
            try database.rows(
                """
                SELECT packages.id, versions.version, needed.value FROM version_requirements
                JOIN versions ON versions.number = version_requirements.version
                JOIN packages ON packages.number = versions.package
                JOIN \(database.dialect.members(of: "version_requirements.dependencies")) AS needed
                    ON needed.key = \(package)
                LEFT JOIN prunings ON prunings.version = versions.number
                WHERE packages.app = \(app) AND NOT \(SQL.isPruned)
                    AND NOT EXISTS (SELECT 1 FROM retirements WHERE version = versions.number)
                ORDER BY packages.id, versions.number DESC
                """
            ) { row in
                let text: String = try row[2]
                guard let range = VersionRange(text) else { throw row.unreadable(2) }
                return Dependent(package: try row[0], version: try row[1], range: range)
            }
        }
    }

    package func findings(
        of version: VersionString, of package: PackageID, in app: AppID
    ) throws(PlatformError) -> LintResult? {
        try transaction { database in
            guard let number = try database.versionNumber(version, of: package, in: app) else { return nil }
            return try database.row(
                """
                SELECT warnings, waived FROM version_details
                WHERE version = \(number) AND warnings IS NOT NULL
                """
            ) { row in
                guard let result = LintResult(warnings: try row[0], waived: try row[1]) else { throw row.unreadable(0) }
                return result
            }
        }
    }

    package func setNotes(
        _ notes: String?, of version: VersionString, of package: PackageID, in app: AppID, audit: AuditEntry
    ) throws(PlatformError) {
        try transaction { database in
            let number = try database.requireVersion(version, of: package, in: app)
            let isSame: Bool? = try database.value(
                "SELECT notes IS NOT DISTINCT FROM \(notes) FROM version_details WHERE version = \(number)")
            // The audit log only grows, so unchanged notes add no entry.
            guard isSame != true, isSame != nil || notes != nil else { return }
            try database.execute(
                """
                INSERT INTO version_details (version, notes) VALUES (\(number), \(notes))
                ON CONFLICT (version) DO UPDATE SET notes = excluded.notes
                """)
            try database.append(audit)
        }
    }

    package func retire(
        _ version: VersionString, of package: PackageID, in app: AppID, _ retirement: Retirement, audit: AuditEntry
    ) throws(PlatformError) -> Bool {
        try transaction { database in
            let number = try database.requireVersion(version, of: package, in: app)
            let written = try database.execute(
                """
                INSERT INTO retirements (version, time, actor, reason)
                VALUES (\(number), \(retirement.time), \(retirement.actor), \(retirement.reason))
                ON CONFLICT DO NOTHING
                """)
            if written == 1 { try database.append(audit) }
            return written == 1
        }
    }

    package func unretire(
        _ version: VersionString, of package: PackageID, in app: AppID, audit: AuditEntry
    ) throws(PlatformError) -> Bool {
        try transaction { database in
            let number = try database.requireVersion(version, of: package, in: app)
            let written = try database.execute("DELETE FROM retirements WHERE version = \(number)")
            if written == 1 { try database.append(audit) }
            return written == 1
        }
    }
}

extension Database {
    /// Stores the details and findings of a version when it is published.
    func insert(_ details: VersionDetails, _ findings: LintResult, of version: Int64) throws {
        let kept = findings.kept
        try execute(
            """
            INSERT INTO version_details (version, notes, git_commit, git_author, warnings, waived)
            VALUES (
                \(version), \(details.notes), \(details.commit), \(details.author),
                \(JSON.array(kept.findings.map(\.json))), \(JSON.array(kept.waived.map(\.json)))
            )
            """)
    }

    fileprivate func requireVersion(_ version: VersionString, of package: PackageID, in app: AppID) throws -> Int64 {
        guard let number = try versionNumber(version, of: package, in: app) else {
            throw PlatformError.noVersion(version, of: package)
        }
        return number
    }
}

extension LintResult {
    /// Reads the stored findings; returns `nil` for values that are never written.
    fileprivate init?(warnings: JSON, waived: JSON) {
        guard let warnings = warnings.elements, let waived = waived.elements else { return nil }
        let findings = warnings.compactMap(LintFinding.init(json:))
        let covered = waived.compactMap(Waived.init(json:))
        guard findings.count == warnings.count, covered.count == waived.count else { return nil }
        self.init(findings: findings, waived: covered)
    }
}
