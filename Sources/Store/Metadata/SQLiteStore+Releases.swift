package import Domain
package import Ground

extension SQLiteStore {
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

    package func makeRelease(
        _ draft: ReleaseDraft, takingBack ended: Release?, patches: [SignedArtifact], blobs: [BlobRecord],
        audit: AuditEntry
    ) throws(PlatformError) -> Release {
        try transaction { database in
            try database.insert(blobs)
            for patch in patches { try database.insert(patch, unlessThere: true) }
            if let ended { try database.update(ended, at: audit.time) }
            let rank = try database.rank(of: [draft], createdAt: audit.time, above: ended?.rank)
            let id = try database.make(draft, rank: rank, createdAt: audit.time, set: nil)
            try database.change(draft.app, at: audit.time, audit: audit)
            return try database.made(where: "releases.id = \(id)", at: audit.time)[0]
        }
    }

    package func changeReleases(_ releases: [Release], audit: AuditEntry) throws(PlatformError) {
        try transaction { database in
            for release in releases { try database.update(release, at: audit.time) }
            for app in Set(releases.map(\.app)) { try database.change(app, at: audit.time, audit: audit) }
        }
    }

    package func recordActivations(of app: AppID, upTo instant: Timestamp) throws(PlatformError) {
        try transaction { database in
            let due = try database.due(of: app, at: instant)
            let planned = try database.releases(
                where: """
                    releases.app = \(app) AND releases.plan <> '[]' AND releases.course = 'running'
                    AND releases.active_time <= \(instant)
                    """)
            var hasChanged = !due.isEmpty
            for due in due {
                let sequence = try database.append(
                    due.subject, of: app, at: instant, package: due.package, version: due.version)
                try database.execute(
                    "UPDATE releases SET activated_sequence = \(sequence) WHERE id = \(due.release)")
            }
            for release in planned where try database.hasUntoldSteps(release, at: instant) {
                // Those of its activation are told with that.
                if !due.contains(where: { $0.release == release.id }) { try database.tell(release, at: instant) }
                try database.noteSteps(of: release, at: instant)
                hasChanged = true
            }
            if try database.endOnline(of: app, at: instant) { hasChanged = true }
            if hasChanged { try database.change(app, at: instant) }
        }
    }
}

/// A release whose moment has come and was not told.
private struct DueRelease {
    let release: ReleaseID
    let package: Int64
    let version: Int64
    let subject: Event.Subject
}

extension Database {
    /// Releases by id.
    ///
    /// - Parameters:
    ///   - condition: May name the tables `releases`, `packages` and `versions`.
    ///   - instant: They are as they were at this one; `nil` for as they are.
    func releases(where condition: SQL, asOf instant: Timestamp? = nil) throws -> [Release] {
        let changing: SQL
        let history: SQL
        if let instant {
            changing = """
                coalesce(old.active_time, releases.active_time), releases.created_at, coalesce(old.rank, releases.rank),
                coalesce(old.revision, releases.revision), coalesce(old.course, releases.course),
                iif(old.course IS NULL, releases.course_since, old.course_since),
                coalesce(old.percent, releases.percent), coalesce(old.plan, releases.plan),
                coalesce(old.paused_for, releases.paused_for)
                """
            history = """
                LEFT JOIN release_history AS old ON old.release = releases.id AND old.revision = (
                    SELECT min(revision) FROM release_history WHERE release = releases.id AND until > \(instant))
                """
        } else {
            changing = """
                releases.active_time, releases.created_at, releases.rank, releases.revision, releases.course,
                releases.course_since, releases.percent, releases.plan, releases.paused_for
                """
            history = ""
        }
        return try rows(
            """
            SELECT releases.id, releases.app, packages.id, channel, versions.version, \(changing), salt, mandatory,
                update_mode, wifi_only, white.name, black.name, rules, floor_version, floor_reason,
                floor_without_have, download_from, download_rate, download_devices, download_round, min_app_version,
                max_app_version, apis, dependencies, turns, \(SQL.setMembership)
            FROM releases
            JOIN packages ON packages.number = releases.package
            JOIN versions ON versions.number = releases.version
            LEFT JOIN device_lists AS white ON white.number = whitelist
            LEFT JOIN device_lists AS black ON black.number = excluded
            LEFT JOIN version_requirements ON version_requirements.version = releases.version
            \(history)
            WHERE \(condition) ORDER BY releases.id
            """
        ) { row in
            Release(
                id: try row[0], app: try row[1], package: try row[2], channel: try row[3], version: try row[4],
                set: try SetMembership(row, from: 33), requirements: try VersionRequirements(row, from: 28),
                terms: try ReleaseTerms(row, from: 11),
                activeTime: try row[5], createdAt: try row[6], rank: try row[7],
                course: try ReleaseCourse(row, from: 9), revision: try row[8], turns: try row[32])
        }
    }

    func requireChannel(_ channel: ChannelName, of app: AppID) throws {
        let found: Int? = try value("SELECT 1 FROM channels WHERE app = \(app) AND name = \(channel)")
        guard found != nil else {
            throw PlatformError(.channelNotFound, "There is no channel \(channel) in \(app).")
        }
    }

    /// Makes a release with its event, and returns its id.
    ///
    /// - Parameter set: The number of the set that it is one of.
    func make(_ draft: ReleaseDraft, rank: Rank, createdAt: Timestamp, set: Int64?) throws -> Int64 {
        try requireChannel(draft.channel, of: draft.app)
        guard let package = try packageNumber(draft.package, in: draft.app),
            let version = try versionNumber(draft.version, of: package)
        else { throw PlatformError.noVersion(draft.version, of: draft.package) }
        let isActive = draft.activeTime.map { $0 <= createdAt } ?? true
        let sequence = try append(
            isActive
                ? .activated(draft.package, draft.channel, draft.version)
                : .scheduled(draft.package, draft.channel, draft.version),
            of: draft.app, at: createdAt, package: package, version: version)
        return try insert(
            draft, package: package, version: version, createdAt: createdAt, rank: rank,
            activatedSequence: isActive ? sequence : nil, set: set)
    }

    /// Releases that were just made.
    func made(where condition: SQL, at now: Timestamp) throws -> [Release] {
        let made = try releases(where: condition)
        guard !made.isEmpty else {
            throw SQLiteError.unreadable("a release that was inserted", statement: "INSERT INTO releases")
        }
        for release in made { try noteSteps(of: release, at: now) }
        return made
    }

    /// The rank that is next for releases that are made together, free in each of their packages.
    ///
    /// - Parameter above: The rank that they take the next free one above of.
    func rank(of drafts: [ReleaseDraft], createdAt: Timestamp, above: Rank?) throws -> Rank {
        guard let draft = drafts.first else { return Rank(0) }
        let activeTime = draft.activeTime ?? createdAt
        let first = above ?? Rank.assigned(createdAt: createdAt, activeTime: activeTime, taken: [])
        var taken: Set<Rank> = []
        for draft in drafts {
            guard let package = try packageNumber(draft.package, in: draft.app) else { continue }
            taken.formUnion(try ranks(from: first, of: package, on: draft.channel))
        }
        return above?.lowestFreeAbove(taken) ?? first.free(of: taken)
    }

    private func insert(
        _ draft: ReleaseDraft, package: Int64, version: Int64, createdAt: Timestamp, rank: Rank,
        activatedSequence: Int64?, set: Int64?
    ) throws -> Int64 {
        let activeTime = draft.activeTime ?? createdAt
        let terms = draft.terms
        let whitelist = try listNumber(terms.audience.whitelist, of: draft.app)
        let excluded = try listNumber(terms.audience.excluded, of: draft.app)
        return try inserted(
            """
            INSERT INTO releases (
                app, package, channel, version, mandatory, active_time, created_at, rank, activated_sequence, percent,
                plan, salt, update_mode, wifi_only, whitelist, excluded, rules, floor_version, floor_reason,
                floor_without_have, download_from, download_rate, download_devices, download_round, release_set
            ) VALUES (
                \(draft.app), \(package), \(draft.channel), \(version), \(terms.isMandatory), \(activeTime),
                \(createdAt), \(rank), \(activatedSequence), \(terms.rollout.percent),
                \(JSON.array(terms.rollout.steps.map(\.json))), \(terms.salt), \(terms.updateMode),
                \(terms.isWifiOnly), \(whitelist), \(excluded),
                \(JSON.array(terms.audience.rules.map(\.json))), \(terms.floor?.version), \(terms.floor?.reason),
                \(terms.floor?.withoutHave), \(terms.downloads?.opensAt), \(terms.downloads?.bytesPerSecond),
                \(terms.downloads?.devices), \(terms.downloads?.round), \(set)
            ) RETURNING id
            """)
    }

    private func ranks(from first: Rank, of package: Int64, on channel: ChannelName) throws -> Set<Rank> {
        let taken: [Rank] = try values(
            "SELECT rank FROM releases WHERE package = \(package) AND channel = \(channel) AND rank >= \(first)")
        return Set(taken)
    }

    private func listNumber(_ name: DeviceListName?, of app: AppID) throws -> Int64? {
        guard let name else { return nil }
        let number: Int64? = try value("SELECT number FROM device_lists WHERE app = \(app) AND name = \(name)")
        guard let number else { throw PlatformError.noDeviceList(name, of: app) }
        return number
    }

    /// Writes what operators change of a release, and tells of it; throws `conflict` where it was changed meanwhile.
    func update(_ release: Release, at now: Timestamp) throws {
        let rollout = release.terms.rollout
        let changed: Int64? = try value(
            """
            UPDATE releases SET
                revision = \(release.revision), changed_at = \(now), course = \(release.course.name), course_since = \(release.course.since),
                percent = \(rollout.percent), plan = \(JSON.array(rollout.steps.map(\.json))),
                paused_for = \(rollout.pausedFor), turns = \(release.turns), active_time = \(release.activeTime),
                rank = \(release.rank)
            WHERE id = \(release.id) AND revision = \(release.revision - 1) RETURNING id
            """)
        guard changed != nil else {
            throw PlatformError(.conflict, "Release \(release.id) was changed by somebody else: look at it again.")
        }
        try tell(release, at: now)
        try noteSteps(of: release, at: now)
    }

    /// Appends the event that a release was changed.
    fileprivate func tell(_ release: Release, at now: Timestamp) throws {
        let numbers = try row("SELECT package, version FROM releases WHERE id = \(release.id)") { row in
            (package: try row[0] as Int64, version: try row[1] as Int64)
        }
        try append(
            .changed(release.package, release.channel, release.version), of: release.app, at: now,
            package: numbers?.package, version: numbers?.version)
    }

    fileprivate func noteSteps(of release: Release, at now: Timestamp) throws {
        try execute("UPDATE releases SET told_steps = \(release.stepsReached(at: now)) WHERE id = \(release.id)")
    }

    fileprivate func hasUntoldSteps(_ release: Release, at now: Timestamp) throws -> Bool {
        let told: Int = try value("SELECT told_steps FROM releases WHERE id = \(release.id)") ?? 0
        return release.stepsReached(at: now) > told
    }

    /// A release that was halted before its moment takes effect when it is resumed.
    fileprivate func due(of app: AppID, at instant: Timestamp) throws -> [DueRelease] {
        try rows(
            """
            SELECT releases.id, releases.package, releases.version, packages.id, channel, versions.version
            FROM releases
            JOIN packages ON packages.number = releases.package
            JOIN versions ON versions.number = releases.version
            WHERE releases.app = \(app) AND activated_sequence IS NULL AND active_time <= \(instant)
                AND course <> 'rolled-back' AND NOT (course = 'halted' AND course_since < active_time)
            ORDER BY active_time, rank, releases.id
            """
        ) { row in
            DueRelease(
                release: try row[0], package: try row[1], version: try row[2],
                subject: .activated(try row[3], try row[4], try row[5]))
        }
    }
}

extension ReleaseTerms {
    /// From percent, plan, pauses, salt, mandatory, update mode, Wi-Fi, two lists, rules, the floor, and the downloads.
    fileprivate init(_ row: borrowing Row, from start: Int32) throws {
        let (plan, rules): (JSON, JSON) = (try row[start + 1], try row[start + 9])
        let steps = (plan.elements ?? []).compactMap { Rollout.Step($0) }
        guard steps.count == plan.elements?.count else { throw row.unreadable(start + 1) }
        let audience = Audience(
            whitelist: try row[start + 7], excluded: try row[start + 8],
            rules: try (rules.elements ?? []).map { try AudienceRule($0) })
        var floor: Floor?
        if let version: VersionString = try row[start + 10] {
            floor = Floor(version: version, reason: try row[start + 11], withoutHave: try row[start + 12])
            guard floor != nil else { throw row.unreadable(start + 10) }
        }
        self.init(
            audience: audience,
            rollout: Rollout(percent: try row[start], steps: steps, pausedFor: try row[start + 2]),
            salt: try row[start + 3], isMandatory: try row[start + 4], updateMode: try row[start + 5],
            isWifiOnly: try row[start + 6], floor: floor, downloads: try DownloadWindow(row, from: start + 13))
    }
}

extension DownloadWindow {
    /// From the opening, the rate, the devices and the round; `nil` where there is none.
    fileprivate init?(_ row: borrowing Row, from start: Int32) throws {
        guard let opensAt: Timestamp = try row[start] else { return nil }
        self.init(
            opensAt: opensAt, bytesPerSecond: try row[start + 1], devices: try row[start + 2],
            round: try row[start + 3])
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

    /// From its name and its moment.
    fileprivate init(_ row: borrowing Row, from start: Int32) throws {
        let name: String = try row[start]
        guard name != "running" else {
            self = .running
            return
        }
        let since: Timestamp = try row[start + 1]
        switch name {
        case "paused": self = .paused(since: since)
        case "halted": self = .halted(since: since)
        case "completed": self = .completed(at: since)
        case "rolled-back": self = .rolledBack(at: since)
        default: throw row.unreadable(start)
        }
    }
}

extension VersionRequirements {
    /// From both limits, APIs and dependencies, all of them `NULL` where the version asks for nothing.
    init(_ row: borrowing Row, from start: Int32) throws {
        let (apis, dependencies): (JSON?, JSON?) = (try row[start + 2], try row[start + 3])
        guard let apis, let dependencies else {
            self = .none
            return
        }
        self.init(
            minAppVersion: try row[start], maxAppVersion: try row[start + 1],
            apis: (apis.elements ?? []).compactMap(\.string),
            dependencies: try (dependencies.members ?? []).map { member in
                guard let package = PackageID(member.key), let text = member.value.string,
                    let range = VersionRange(text)
                else { throw SQLiteError.unreadable("column dependencies", statement: "SELECT dependencies") }
                return Dependency(package: package, range: range)
            })
    }
}
