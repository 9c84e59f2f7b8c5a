package import Domain
package import Ground

extension SQLStore {
    package func state(of app: AppID, at now: Timestamp) throws(PlatformError) -> AppState {
        try state(of: app, at: now, asOf: nil)
    }

    package func state(of app: AppID, asOf instant: Timestamp) throws(PlatformError) -> AppState {
        try state(of: app, at: instant, asOf: instant)
    }

    private func state(of app: AppID, at now: Timestamp, asOf past: Timestamp?) throws(PlatformError) -> AppState {
        try transaction { database in
            let facts = try database.row("SELECT config_version, sequence FROM apps WHERE id = \(app)") { row in
                (configVersion: try row[0] as Int64, sequence: try row[1] as Int64)
            }
            guard let facts else { throw PlatformError(.appNotFound, "There is no app \(app).") }
            let channels: [ChannelName] = try database.values("SELECT name FROM channels WHERE app = \(app)")
            let releases =
                try past.map { past in
                    try database.releases(
                        where: "releases.app = \(app) AND releases.created_at <= \(past)", asOf: past)
                } ?? database.releases(where: "releases.app = \(app)")
            let lastActivation: Timestamp? = try database.value(
                """
                SELECT active_time FROM releases WHERE app = \(app) AND activated_sequence IS NOT NULL
                ORDER BY active_time DESC LIMIT 1
                """)
            let lastMoment = try [lastActivation, database.lastStep(among: releases, of: app)].compactMap { $0 }.max()
            let instant = past ?? max(now, lastMoment ?? now)
            let live = PackageReleases.live(ofEach: releases, at: instant)
            return AppState(
                app: app, channels: Set(channels), packages: try database.packages(of: app),
                releases: Dictionary(grouping: releases, by: \.package),
                versions: try database.releasedVersions(live, of: app),
                shipped: try database.shippedVersions(where: "packages.app = \(app)"),
                deviceLists: try database.deviceLists(of: app), builds: try database.builds(of: app),
                configVersion: facts.configVersion, sequence: facts.sequence, lastActivation: lastMoment)
        }
    }
}

extension Database {
    /// Returns the released versions in four queries, however many there are.
    fileprivate func releasedVersions(
        _ live: [Release], of app: AppID
    ) throws -> [PackageID: [VersionString: ReleasedVersion]] {
        let list = JSON.array(live.map { .integer($0.id.value) })
        let numbers: SQL = """
            (SELECT version FROM releases WHERE app = \(app) AND id IN \(dialect.integers(in: list)))
            """
        let released: SQL = "artifacts.version IN \(numbers)"
        let signatures = try signatures(where: released)
        var full: [VersionKey: SignedArtifact] = [:]
        var patches: [VersionKey: [SignedArtifact]] = [:]
        var archives: [VersionKey: [Layout: Artifact]] = [:]
        for (number, artifact) in try artifacts(where: released) {
            let key = VersionKey(package: artifact.package, version: artifact.version)
            guard artifact.layout == .appFolder else {
                if artifact.kind == .full { archives[key, default: [:]][artifact.layout] = artifact }
                continue
            }
            let signed = SignedArtifact(artifact: artifact, signatures: signatures[number] ?? [])
            switch artifact.form {
            case .full: full[key] = signed
            case .files, .delta: patches[key, default: []].append(signed)
            }
        }

        let demand = try demand(of: numbers)
        var versions: [PackageID: [VersionString: ReleasedVersion]] = [:]
        _ = try rows(
            """
            SELECT packages.id, versions.version, versions.entry, versions.url_prefix FROM versions
            JOIN packages ON packages.number = versions.package
            LEFT JOIN prunings ON prunings.version = versions.number
            WHERE versions.number IN \(numbers) AND NOT \(SQL.isPruned)
            """
        ) { row in
            let key = VersionKey(package: try row[0], version: try row[1])
            // Publishing a version creates one; removing its files deletes it.
            guard let archive = full[key] else { throw row.unreadable(1) }
            versions[key.package, default: [:]][key.version] = ReleasedVersion(
                version: key.version, entry: try row[2], urlPrefix: try row[3], full: archive,
                patches: patches[key] ?? [],
                demand: demand[key] ?? PatchDemand(), archives: archives[key] ?? [:])
        }
        return versions
    }

    /// Returns the time of the last reported step of a plan.
    fileprivate func lastStep(among releases: [Release], of app: AppID) throws -> Timestamp? {
        let announced = try rows("SELECT id, told_steps FROM releases WHERE app = \(app) AND told_steps > 0") { row in
            (id: try row["id"] as ReleaseID, steps: try row["told_steps"] as Int)
        }
        let steps = Dictionary(uniqueKeysWithValues: announced.map { ($0.id, $0.steps) })
        return releases.compactMap { release in steps[release.id].flatMap { release.moment(ofStep: $0) } }.max()
    }

    /// Returns the signatures of artifacts by the numbers of their rows, those by older keys first.
    func signatures(where condition: SQL) throws -> [Int64: [Signature]] {
        var signatures: [Int64: [Signature]] = [:]
        _ = try rows(
            """
            SELECT artifact, purpose, keys.id, value FROM artifact_signatures
            JOIN keys ON keys.number = artifact_signatures.key
            JOIN artifacts ON artifacts.number = artifact_signatures.artifact
            WHERE \(condition) ORDER BY artifact, keys.number
            """
        ) { row in
            let signature = Signature(purpose: try row[1], keyID: try row[2], value: try row[3])
            signatures[try row[0], default: []].append(signature)
        }
        return signatures
    }
}

/// The identity of a version within an app.
struct VersionKey: Hashable {
    let package: PackageID
    let version: VersionString
}
