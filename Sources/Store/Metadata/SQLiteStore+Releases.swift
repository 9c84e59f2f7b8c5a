package import Domain

extension SQLiteStore {
    package func releases(of package: PackageID, in app: AppID) throws(PlatformError) -> [Release] {
        try transaction { database in
            try database.releases(where: "releases.package = \(try database.packageNumber(package, in: app))")
        }
    }

    package func makeRelease(
        _ draft: ReleaseDraft, patches: [SignedArtifact], blobs: [BlobRecord], audit: AuditEntry
    ) throws(PlatformError) -> Release {
        try transaction { database in
            try database.requireChannel(draft.channel, of: draft.app)
            guard let package = try database.packageNumber(draft.package, in: draft.app),
                let version = try database.versionNumber(draft.version, of: package)
            else { throw PlatformError.noVersion(draft.version, of: draft.package) }
            try database.insert(blobs)
            for patch in patches { try database.insert(patch, unlessThere: true) }

            let createdAt = audit.time
            let isActive = draft.activeTime.map { $0 <= createdAt } ?? true
            let sequence = try database.append(
                isActive
                    ? .activated(draft.package, draft.channel, draft.version)
                    : .scheduled(draft.package, draft.channel, draft.version),
                of: draft.app, at: createdAt, package: package, version: version)
            let release = try database.insert(
                draft, package: package, version: version, createdAt: createdAt,
                activatedSequence: isActive ? sequence : nil)
            try database.change(draft.app, at: createdAt, audit: audit)
            return release
        }
    }

    package func recordActivations(of app: AppID, upTo instant: Timestamp) throws(PlatformError) {
        try transaction { database in
            let due = try database.rows(
                """
                SELECT releases.id, releases.package, releases.version, packages.id, channel, versions.version
                FROM releases
                JOIN packages ON packages.number = releases.package
                JOIN versions ON versions.number = releases.version
                WHERE releases.app = \(app) AND activated_sequence IS NULL AND active_time <= \(instant)
                ORDER BY active_time, rank, releases.id
                """
            ) { row in
                (
                    release: try row[0] as ReleaseID, package: try row[1] as Int64, version: try row[2] as Int64,
                    subject: Event.Subject.activated(try row[3], try row[4], try row[5])
                )
            }
            guard !due.isEmpty else { return }
            for due in due {
                let sequence = try database.append(
                    due.subject, of: app, at: instant, package: due.package, version: due.version)
                try database.execute(
                    "UPDATE releases SET activated_sequence = \(sequence) WHERE id = \(due.release)")
            }
            try database.change(app, at: instant)
        }
    }
}

extension Database {
    /// Releases by id.
    ///
    /// - Parameter condition: May name the tables `releases`, `packages` and `versions`.
    func releases(where condition: SQL) throws -> [Release] {
        try rows(
            """
            SELECT releases.id, releases.app, packages.id, channel, versions.version, mandatory, active_time,
                releases.created_at, rank
            FROM releases
            JOIN packages ON packages.number = releases.package
            JOIN versions ON versions.number = releases.version
            WHERE \(condition) ORDER BY releases.id
            """
        ) { row in
            Release(
                id: try row[0], app: try row[1], package: try row[2], channel: try row[3], version: try row[4],
                isMandatory: try row[5], activeTime: try row[6], createdAt: try row[7], rank: try row[8])
        }
    }

    fileprivate func requireChannel(_ channel: ChannelName, of app: AppID) throws {
        let found: Int? = try value("SELECT 1 FROM channels WHERE app = \(app) AND name = \(channel)")
        guard found != nil else {
            throw PlatformError(.channelNotFound, "There is no channel \(channel) in \(app).")
        }
    }

    /// Adds a release under the rank that is next for it.
    fileprivate func insert(
        _ draft: ReleaseDraft, package: Int64, version: Int64, createdAt: Timestamp, activatedSequence: Int64?
    ) throws -> Release {
        let activeTime = draft.activeTime ?? createdAt
        let first = Rank.assigned(createdAt: createdAt, activeTime: activeTime, taken: [])
        let taken: [Rank] = try values(
            """
            SELECT rank FROM releases
            WHERE package = \(package) AND channel = \(draft.channel) AND rank >= \(first)
            """)
        let rank = Rank.assigned(createdAt: createdAt, activeTime: activeTime, taken: Set(taken))
        let id = try inserted(
            """
            INSERT INTO releases (
                app, package, channel, version, mandatory, active_time, created_at, rank, activated_sequence
            ) VALUES (
                \(draft.app), \(package), \(draft.channel), \(version), \(draft.isMandatory), \(activeTime),
                \(createdAt), \(rank), \(activatedSequence)
            ) RETURNING id
            """)
        return Release(
            id: ReleaseID(id), app: draft.app, package: draft.package, channel: draft.channel, version: draft.version,
            isMandatory: draft.isMandatory, activeTime: activeTime, createdAt: createdAt, rank: rank)
    }
}
