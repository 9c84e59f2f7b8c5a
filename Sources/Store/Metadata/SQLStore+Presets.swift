package import Domain

extension SQLStore {
    package func presets(of app: AppID) throws(PlatformError) -> [Preset] {
        try transaction { database in
            var versions: [Int64: [PackageID: VersionString]] = [:]
            _ = try database.rows(
                """
                SELECT preset, packages.id, versions.version FROM preset_versions
                JOIN packages ON packages.number = preset_versions.package
                JOIN versions ON versions.number = preset_versions.version
                WHERE packages.app = \(app)
                """
            ) { row in versions[try row[0], default: [:]][try row[1]] = try row[2] as VersionString }
            return try database.rows(
                "SELECT number, build, created_at FROM presets WHERE app = \(app) ORDER BY number DESC"
            ) { row in
                Preset(app: app, build: try row[1], createdAt: try row[2], versions: versions[try row[0]] ?? [:])
            }
        }
    }

    package func addPreset(
        _ preset: Preset, patches: [SignedArtifact], audit: AuditEntry
    ) throws(PlatformError) {
        try transaction { database in
            for patch in patches {
                try database.insert([BlobRecord(digest: patch.artifact.blob, size: patch.artifact.size)])
                try database.insert(patch, unlessThere: true)
            }
            let number = try database.inserted(
                """
                INSERT INTO presets (app, build, created_at)
                VALUES (\(preset.app), \(preset.build), \(preset.createdAt)) RETURNING number
                """)
            for (id, name) in preset.versions {
                guard let package = try database.packageNumber(id, in: preset.app),
                    let version = try database.versionNumber(name, of: package)
                else { throw PlatformError.noVersion(name, of: id) }
                try database.execute(
                    "INSERT INTO preset_versions (preset, package, version) VALUES (\(number), \(package), \(version))")
            }
            try database.change(preset.app, at: audit.time, audit: audit)
        }
    }

    package func removePreset(
        of build: VersionString, in app: AppID, audit: AuditEntry
    ) throws(PlatformError) -> Bool {
        try transaction { database in
            let number: Int64? = try database.value(
                "SELECT number FROM presets WHERE app = \(app) AND build = \(build)")
            guard let number else { return false }
            try database.execute("DELETE FROM presets WHERE number = \(number)")
            try database.change(app, at: audit.time, audit: audit)
            return true
        }
    }

    package func shippedVersions(
        of package: PackageID, in app: AppID
    ) throws(PlatformError) -> [VersionString] {
        try transaction { database in
            let number = try database.packageNumber(package, in: app)
            return try database.shippedVersions(where: "preset_versions.package = \(number)")[package] ?? []
        }
    }
}

extension Database {
    /// Returns the versions that presets ship, without duplicates, those of the newest preset first.
    ///
    /// - Parameter condition: A condition on the tables `preset_versions` and `packages`.
    func shippedVersions(where condition: SQL) throws -> [PackageID: [VersionString]] {
        var versions: [PackageID: [VersionString]] = [:]
        _ = try rows(
            """
            SELECT packages.id, versions.version FROM preset_versions
            JOIN packages ON packages.number = preset_versions.package
            JOIN versions ON versions.number = preset_versions.version
            WHERE \(condition) GROUP BY packages.number, versions.number ORDER BY max(preset) DESC
            """
        ) { row in versions[try row[0], default: []].append(try row[1]) }
        return versions
    }
}
