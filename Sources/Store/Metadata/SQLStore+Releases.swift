package import Domain
package import Ground

extension SQLStore {
    package func releases(of package: PackageID, in app: AppID) throws(PlatformError) -> [Release] {
        try transaction { database in
            try database.releases(where: "releases.package = \(try database.packageNumber(package, in: app))")
        }
    }

    package func releases(on channel: ChannelName, in app: AppID) throws(PlatformError) -> [Release] {
        try transaction { database in
            try database.releases(
                where: "releases.app = \(app) AND channel = \(channel) AND releases.course <> 'rolled-back'")
        }
    }

    package func releases(ofSet set: ReleaseSetID?, in app: AppID) throws(PlatformError) -> [Release] {
        try transaction { database in
            guard let set else {
                return try database.releases(where: "releases.app = \(app) AND releases.release_set IS NOT NULL")
            }
            return try database.releases(where: "releases.app = \(app) AND releases.release_set = \(set)")
        }
    }

    package func makeReleases(
        _ request: ReleaseRequest, patches: [SignedArtifact], blobs: [BlobRecord], audit: AuditEntry
    ) throws(PlatformError) -> [Release] {
        try transaction { database in
            try database.requireChannel(request.channel, of: request.app)
            try database.insert(blobs)
            for patch in patches { try database.insert(patch, unlessThere: true) }
            let updates = try database.releases(of: request).making(request, at: audit.time)
            let set = request.isSet ? try database.newSet(request, audit.time) : nil
            let made = try database.write(updates, of: set, at: audit.time)
            try database.change(request.app, at: audit.time, audit: audit)
            try database.recordMade(made, by: audit)
            return made
        }
    }

    package func changeReleases(
        _ releases: [Release], steps: [ReleaseID: HealthStep], audit: AuditEntry
    ) throws(PlatformError) {
        try transaction { database in
            for release in releases { try database.update(ReleaseUpdate(changed: release, at: audit.time), audit.time) }
            for (release, step) in steps { try database.write(step, of: release) }
            for app in Set(releases.map(\.app)) { try database.change(app, at: audit.time, audit: audit) }
        }
    }

    package func recordActivations(of app: AppID, upTo instant: Timestamp) throws(PlatformError) {
        try transaction { database in
            let due = AnnouncedRelease.due(among: try database.openReleases(of: app, at: instant), at: instant)
            for update in due { try database.announce(update, at: instant) }
            let hasEnded = try database.endOnline(of: app, at: instant)
            if hasEnded || !due.isEmpty { try database.change(app, at: instant) }
        }
    }
}

extension Database {
    /// Returns releases by id.
    ///
    /// - Parameters:
    ///   - condition: The condition, which may name the tables `releases`, `packages` and `versions`.
    ///   - instant: The instant as of which they are read; `nil` for now.
    func releases(where condition: SQL, asOf instant: Timestamp? = nil) throws -> [Release] {
        try releases(where: condition, asOf: instant) { _, release in release }
    }

    private func releases<Element>(
        where condition: SQL, asOf instant: Timestamp?, _ read: (borrowing Row, Release) throws -> Element
    ) throws -> [Element] {
        let changing: SQL
        let history: SQL
        if let instant {
            changing = """
                coalesce(old.active_time, releases.active_time) AS active_time, coalesce(old.rank, releases.rank) AS rank,
                coalesce(old.revision, releases.revision) AS revision, coalesce(old.course, releases.course) AS course,
                CASE WHEN old.course IS NULL THEN releases.course_since ELSE old.course_since END AS course_since,
                coalesce(old.percent, releases.percent) AS percent, coalesce(old.plan, releases.plan) AS plan,
                coalesce(old.paused_for, releases.paused_for) AS paused_for, coalesce(old.terms, releases.terms) AS terms
                """
            history = """
                LEFT JOIN release_history AS old ON old.release = releases.id AND old.revision = (
                    SELECT min(revision) FROM release_history WHERE release = releases.id AND until > \(instant))
                """
        } else {
            changing = """
                releases.active_time, releases.rank, releases.revision, releases.course, releases.course_since,
                releases.percent, releases.plan, releases.paused_for, releases.terms
                """
            history = ""
        }
        var terms = TermsReader()
        return try rows(
            """
            SELECT releases.id, releases.app, packages.id AS package, channel, versions.version AS version,
                releases.created_at, \(changing), salt, whitelist.name AS whitelist, excluded.name AS excluded, turns,
                activated_sequence, told_steps, min_app_version, max_app_version, apis, dependencies,
                \(SQL.setMembership(dialect))
            FROM releases
            JOIN packages ON packages.number = releases.package
            JOIN versions ON versions.number = releases.version
            LEFT JOIN device_lists AS whitelist ON whitelist.number = releases.whitelist
            LEFT JOIN device_lists AS excluded ON excluded.number = releases.excluded
            LEFT JOIN version_requirements ON version_requirements.version = releases.version
            \(history)
            WHERE \(condition) ORDER BY releases.id
            """
        ) { row in try read(row, Release(row, terms: terms.terms(of: row))) }
    }

    /// Returns the releases that affect the decision about a request.
    fileprivate func releases(of request: ReleaseRequest) throws -> ChannelReleases {
        var releases: [Release] = []
        for package in request.packages {
            let number = try packageNumber(package, in: request.app)
            releases += try self.releases(
                where: "releases.package = \(number) AND releases.channel = \(request.channel)")
        }
        return ChannelReleases(releases, on: request.channel)
    }

    /// Returns the releases that may have an event to announce, found by partial indexes.
    fileprivate func openReleases(of app: AppID, at instant: Timestamp) throws -> [AnnouncedRelease] {
        try releases(
            where: """
                releases.id IN (
                    SELECT id FROM releases
                    WHERE app = \(app) AND activated_sequence IS NULL AND active_time <= \(instant)
                        AND course <> 'rolled-back'
                    UNION
                    SELECT id FROM releases
                    WHERE app = \(app) AND plan <> '[]' AND course = 'running' AND active_time <= \(instant))
                """, asOf: nil
        ) { row, release in
            let sequence: Int64? = try row["activated_sequence"]
            return AnnouncedRelease(
                release, isActivationAnnounced: sequence != nil, announcedSteps: try row["told_steps"])
        }
    }

    func requireChannel(_ channel: ChannelName, of app: AppID) throws {
        let found: Int? = try value("SELECT 1 FROM channels WHERE app = \(app) AND name = \(channel)")
        guard found != nil else {
            throw PlatformError(.channelNotFound, "There is no channel \(channel) in \(app).")
        }
    }

    /// Inserts a release set and returns its id.
    fileprivate func newSet(_ request: ReleaseRequest, _ time: Timestamp) throws -> ReleaseSetID {
        ReleaseSetID(
            try inserted(
                """
                INSERT INTO release_sets (app, channel, created_at)
                VALUES (\(request.app), \(request.channel), \(time)) RETURNING id
                """))
    }

    /// Writes updates with their events, and returns the new releases.
    ///
    /// - Parameter set: The set of the new releases.
    fileprivate func write(
        _ updates: [ReleaseUpdate], of set: ReleaseSetID?, at time: Timestamp
    ) throws -> [Release] {
        var made: [Int64] = []
        for update in updates {
            if update.kind == .made {
                made.append(try insert(update, of: set))
            } else {
                try self.update(update, time)
            }
        }
        let ids = JSON.array(made.map { .integer($0) })
        let releases = try releases(where: "releases.id IN \(dialect.integers(in: ids))")
        guard releases.count == made.count else {
            throw DatabaseError.unreadable("a release that was inserted", statement: "INSERT INTO releases")
        }
        return releases
    }

    private func insert(_ update: ReleaseUpdate, of set: ReleaseSetID?) throws -> Int64 {
        let release = update.release
        guard let package = try packageNumber(release.package, in: release.app),
            let version = try versionNumber(release.version, of: package)
        else { throw PlatformError.noVersion(release.version, of: release.package) }
        let terms = release.terms
        let id = try inserted(
            """
            INSERT INTO releases (
                app, package, channel, version, active_time, created_at, rank, percent, plan, salt, terms, whitelist,
                excluded, release_set
            ) VALUES (
                \(release.app), \(package), \(release.channel), \(version), \(release.activeTime), \(release.createdAt),
                \(release.rank), \(terms.rollout.percent), \(JSON.array(terms.rollout.steps.map(\.json))), \(terms.salt),
                \(terms.stored), \(try listNumber(terms.audience.whitelist, of: release.app)),
                \(try listNumber(terms.audience.excluded, of: release.app)), \(set)
            ) RETURNING id
            """)
        try announce(update, as: id, at: release.createdAt)
        return id
    }

    private func listNumber(_ name: DeviceListName?, of app: AppID) throws -> Int64? {
        guard let name else { return nil }
        let number: Int64? = try value("SELECT number FROM device_lists WHERE app = \(app) AND name = \(name)")
        guard let number else { throw PlatformError.noDeviceList(name, of: app) }
        return number
    }

    /// Writes an operator's change with its event; throws `conflict` if the release was changed meanwhile.
    fileprivate func update(_ update: ReleaseUpdate, _ time: Timestamp) throws {
        let release = update.release
        let rollout = release.terms.rollout
        try changeTrip(with: release)
        let changed: Int64? = try value(
            """
            UPDATE releases SET
                revision = \(release.revision), changed_at = \(time), course = \(release.course.name),
                course_since = \(release.course.since), percent = \(rollout.percent),
                plan = \(JSON.array(rollout.steps.map(\.json))), paused_for = \(rollout.pausedFor), turns = \(release.haltChanges),
                active_time = \(release.activeTime), rank = \(release.rank), terms = \(release.terms.stored)
            WHERE id = \(release.id) AND revision = \(release.revision - 1) RETURNING id
            """)
        guard changed != nil else {
            throw PlatformError(
                .conflict,
                "Release \(release.id) has changed meanwhile. Read it again, then repeat the change if it still applies."
            )
        }
        try announce(update, at: time)
    }

    fileprivate func announce(_ update: ReleaseUpdate, at time: Timestamp) throws {
        try announce(update, as: update.release.id.value, at: time)
    }

    /// Inserts the event of an update, and records that it was announced.
    private func announce(_ update: ReleaseUpdate, as id: Int64, at time: Timestamp) throws {
        let numbers = try row("SELECT package, version FROM releases WHERE id = \(id)") { row in
            (package: try row["package"] as Int64, version: try row["version"] as Int64)
        }
        let sequence = try append(
            update.event, of: update.release.app, at: time, package: numbers?.package, version: numbers?.version)
        if case .activated = update.event {
            try execute("UPDATE releases SET activated_sequence = \(sequence) WHERE id = \(id)")
        }
        try execute("UPDATE releases SET told_steps = \(update.announcedSteps) WHERE id = \(id)")
    }
}

extension Release {
    fileprivate init(_ row: borrowing Row, terms: ReleaseTerms) throws {
        self.init(
            id: try row["id"], app: try row["app"], package: try row["package"], channel: try row["channel"],
            version: try row["version"], set: try SetMembership(row), requirements: try VersionRequirements(row),
            terms: terms, activeTime: try row["active_time"], createdAt: try row["created_at"],
            rank: try row["rank"], course: try ReleaseCourse(row), revision: try row["revision"],
            haltChanges: try row["turns"])
    }
}

/// Reads the terms of the releases of one query, and parses those that are written alike only once.
///
/// An app has thousands of releases, most of them with the same few terms, and each change reads them all.
private struct TermsReader {
    private var parsed: [String: ReleaseTerms] = [:]

    mutating func terms(of row: borrowing Row) throws -> ReleaseTerms {
        let plan: JSON = try row["plan"]
        let steps = (plan.elements ?? []).compactMap { Rollout.Step($0) }
        guard steps.count == plan.elements?.count else { throw row.unreadable("plan") }
        let rollout = Rollout(percent: try row["percent"], steps: steps, pausedFor: try row["paused_for"])
        let (text, salt): (String, Salt) = (try row["terms"], try row["salt"])
        let terms = try parsed[text] ?? parse(text, salt: salt, of: row)
        return terms.completed(
            whitelist: try row["whitelist"], excluded: try row["excluded"], rollout: rollout, salt: salt)
    }

    private mutating func parse(_ text: String, salt: Salt, of row: borrowing Row) throws -> ReleaseTerms {
        guard let json = JSON(parsing: Array(text.utf8)) else { throw row.unreadable("terms") }
        do throws(PlatformError) {
            let terms = try ReleaseTerms(stored: json, salt: salt)
            parsed[text] = terms
            return terms
        } catch {
            let id: Int64 = try row["id"]
            throw row.unreadable("terms of release \(id) (\(error.message))")
        }
    }
}

extension ReleaseCourse {
    fileprivate var name: String {
        switch self {
        case .running: "running"
        case .paused: "paused"
        case .halted: "halted"
        case .completed: "completed"
        case .rolledBack: "rolled-back"
        }
    }

    fileprivate var since: Timestamp? {
        switch self {
        case .running: nil
        case .paused(let since), .halted(let since), .completed(let since), .rolledBack(let since): since
        }
    }

    fileprivate init(_ row: borrowing Row) throws {
        let name: String = try row["course"]
        guard name != "running" else {
            self = .running
            return
        }
        let since: Timestamp = try row["course_since"]
        switch name {
        case "paused": self = .paused(since: since)
        case "halted": self = .halted(since: since)
        case "completed": self = .completed(at: since)
        case "rolled-back": self = .rolledBack(at: since)
        default: throw row.unreadable("course")
        }
    }
}

extension SQL {
    /// The columns of a release's membership in a set.
    ///
    /// They are the set's number, the version of each package, and whether the terms of the set alone determine its
    /// devices.
    fileprivate static func setMembership(_ dialect: SQLDialect) -> SQL {
        """
        releases.release_set,
        CASE WHEN releases.release_set IS NOT NULL THEN (
            SELECT \(dialect.object(ofKeys: "packages.id", values: "versions.version")) FROM releases AS member
            JOIN packages ON packages.number = member.package
            JOIN versions ON versions.number = member.version
            WHERE member.release_set = releases.release_set) END AS set_versions,
        CASE WHEN releases.release_set IS NOT NULL THEN NOT EXISTS (
            SELECT 1 FROM releases AS member
            JOIN packages ON packages.number = member.package
            LEFT JOIN prunings ON prunings.version = member.version
            LEFT JOIN version_requirements AS needs ON needs.version = member.version
            WHERE member.release_set = releases.release_set
                AND (packages.enabled = 0 OR needs.version IS NOT NULL OR \(isPruned))) END AS set_is_plain
        """
    }
}

extension SetMembership {
    /// Reads the columns of ``SQL/setMembership``; fails for a single release.
    fileprivate init?(_ row: borrowing Row) throws {
        guard let id: ReleaseSetID = try row["release_set"] else { return nil }
        let json: JSON = try row["set_versions"]
        var versions: [PackageID: VersionString] = [:]
        for member in json.members ?? [] {
            guard let package = PackageID(member.key), let version = member.value.string.flatMap({ VersionString($0) })
            else { throw row.unreadable("set_versions") }
            versions[package] = version
        }
        self.init(id: id, versions: versions, isPlain: try row["set_is_plain"])
    }
}

extension VersionRequirements {
    /// Reads the columns of `version_requirements`, which are all `NULL` if the version has no requirements.
    init(_ row: borrowing Row) throws {
        let (apis, dependencies): (JSON?, JSON?) = (try row["apis"], try row["dependencies"])
        guard let apis, let dependencies else {
            self = .none
            return
        }
        self.init(
            minAppVersion: try row["min_app_version"], maxAppVersion: try row["max_app_version"],
            apis: (apis.elements ?? []).compactMap(\.string),
            dependencies: try (dependencies.members ?? []).map { member in
                guard let package = PackageID(member.key), let text = member.value.string,
                    let range = VersionRange(text)
                else { throw row.unreadable("dependencies") }
                return Dependency(package: package, range: range)
            })
    }
}
