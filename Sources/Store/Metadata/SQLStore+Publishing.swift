package import Domain
import Ground

extension SQLStore {
    package func publish(
        _ version: Version, _ details: VersionDetails, findings: LintResult, identity: SHA256Digest,
        full: SignedArtifact, blobs: [BlobRecord], audit: AuditEntry
    ) throws(PlatformError) {
        try transaction { database in
            guard let package = try database.packageNumber(version.package, in: version.app) else {
                throw PlatformError(.packageNotFound, "There is no package \(version.package) in \(version.app).")
            }
            let pruned = try database.prunedVersion(version, of: package, identity: identity)
            try database.insert(blobs)
            let number = try pruned ?? database.insert(version, of: package, identity: identity)
            if pruned != nil {
                try database.execute(
                    "UPDATE prunings SET restored_at = \(version.createdAt) WHERE version = \(number)")
                // The details are inserted again below.
                try database.execute("DELETE FROM version_details WHERE version = \(number)")
            }
            if pruned == nil { try database.insert(version.requirements, of: number) }
            try database.insert(version.tree.files, of: number)
            try database.insert(details, findings, of: number)
            try database.insert(full, unlessThere: false)
            try database.append(audit)
        }
    }
}

extension Database {
    /// Returns the number of the version's row if its files were removed, or `nil` if its name is free.
    ///
    /// Throws `versionExists` if the version exists, or existed with other content.
    fileprivate func prunedVersion(
        _ version: Version, of package: Int64, identity: SHA256Digest
    ) throws -> Int64? {
        let taken = try row(
            """
            SELECT number, versions.version, identity, \(SQL.isPruned) FROM versions
            LEFT JOIN prunings ON prunings.version = versions.number
            WHERE package = \(package) AND folded = \(version.version.folded)
            """
        ) { row in
            (
                number: try row[0] as Int64, version: try row[1] as VersionString,
                identity: try row[2] as SHA256Digest, isPruned: try row[3] as Bool
            )
        }
        guard let taken else { return nil }
        guard taken.isPruned, taken.version == version.version, taken.identity == identity else {
            throw PlatformError(
                .versionExists,
                "\(version.package) has a version \(taken.version) already, and versions never change.")
        }
        return taken.number
    }

    fileprivate func insert(_ version: Version, of package: Int64, identity: SHA256Digest) throws -> Int64 {
        let fileMap = version.uploaded.fileMap.map { JSON.Member($0.key, .string($0.target)) }
        return try inserted(
            """
            INSERT INTO versions (
                package, version, folded, tree_hash, identity, entry, url_prefix, app_config, file_map, file_count,
                total_size, created_at, resources
            ) VALUES (
                \(package), \(version.version), \(version.version.folded), \(version.treeHash), \(identity),
                \(version.entry), \(version.urlPrefix), \(JSON.object(version.uploaded.appConfig)),
                \(JSON.object(fileMap)), \(version.tree.files.count), \(version.tree.totalSize), \(version.createdAt),
                \(version.resources?.json)
            ) RETURNING number
            """)
    }

    /// Adds the requirements of a version, unless it has none.
    fileprivate func insert(_ requirements: VersionRequirements, of version: Int64) throws {
        guard requirements != .none else { return }
        let dependencies = requirements.dependencies.map { JSON.Member($0.package.text, .string($0.range.text)) }
        try execute(
            """
            INSERT INTO version_requirements (version, min_app_version, max_app_version, apis, dependencies)
            VALUES (
                \(version), \(requirements.minAppVersion), \(requirements.maxAppVersion),
                \(JSON.array(requirements.apis.map { .string($0) })), \(JSON.object(dependencies))
            )
            """)
    }

    fileprivate func insert(_ files: [TreeFile], of version: Int64) throws {
        try executeAll(
            files.lazy.map { file in
                let content = file.content
                return """
                    INSERT INTO files (version, path, digest, size, crc32, deflated_digest, deflated_size)
                    VALUES (
                        \(version), \(file.path), \(content.digest), \(content.size), \(content.crc32),
                        \(content.deflated?.digest), \(content.deflated?.size)
                    )
                    """
            })
    }
}
